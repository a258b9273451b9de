// What the supervisor is at, besides its own steps of the plan: one thing after the other. Pure
// data.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace sbx::supervise {

enum class Stage {
  command_line,
  profile,
  host_facts,
  planning,
  prepare_launch,
  register_run,
  await_exec,
  settle,
  watch,
  account,
  deliver,
  keep,
  collect,
  report,
  clean_up,
  result_file,
  table,  ///< of `sbx run --timing`
};

struct StageWords {
  std::string_view kind;  ///< stable, as in JSON
  std::string_view text;  ///< for a person
  bool waits = false;     ///< for another process, whose work it is
};

/// In the order of Stage.
inline constexpr std::array kStages{
    StageWords{"command_line", "read the command line"},
    StageWords{"profile", "load the profile"},
    StageWords{"host_facts", "look at the host"},
    StageWords{"planning", "make the plan"},
    StageWords{"prepare_launch", "prepare the launch"},
    StageWords{"register_run", "register the run"},
    StageWords{"await_exec", "wait for init and payload to set up", true},
    StageWords{"settle", "take over streams and limits"},
    StageWords{"watch", "wait for the end of the command and all it has left", true},
    StageWords{"account", "read what was used, remove cgroups, wait for the end of init"},
    StageWords{"deliver", "deliver the rest of the output"},
    StageWords{"keep", "keep what has changed in the workspace"},
    StageWords{"collect", "keep the artifacts"},
    StageWords{"report", "write result and events"},
    StageWords{"clean_up", "remove what is left of the sandbox"},
    StageWords{"result_file", "write the result file"},
    StageWords{"table", "print this table"},
};
static_assert(kStages.size() == static_cast<std::size_t>(Stage::table) + 1);

constexpr const StageWords& words(Stage stage) { return kStages[static_cast<std::size_t>(stage)]; }

}  // namespace sbx::supervise
