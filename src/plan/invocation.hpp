// What the command line asks of `run` and `explain`, as plain data. cli/app fills it (CLI11 only
// there); plan/build reads it.
#pragma once

#include <string>
#include <vector>

namespace sbx::plan {

struct Invocation {
  std::string run_id;
  std::vector<std::string> command;  ///< after `--`; empty: the profile's own command
  bool json = false;                 ///< capture the output, print one result object
  bool result = false;               ///< --result given
  bool events = false;               ///< --events given
  bool junit = false;                ///< --junit given
  bool ci = false;                   ///< --ci given: persons read the log later
  bool quiet = false;                ///< --quiet given: no summary for a person
};

}  // namespace sbx::plan
