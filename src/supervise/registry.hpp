// Which runs of this user are alive: each has a socket in the runtime folder, and one that accepts
// a connection is a live run. No pid is believed: that in a file's name only says which files are
// worth a second look.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sbx::supervise {

/// The file of one run: RUN.PID.sock, or RUN.PID.NAME.sock of one that has been given a name.
struct RunFile {
  std::string run;
  pid_t supervisor = 0;
  std::string given{};

  [[nodiscard]] std::string name() const;
};

/// May a run be called so? 40 letters, digits, '_', '-' and '.', the first one a letter or a digit:
/// there is room for no more in the path of a socket. What could be part of an id is none: when its
/// run has ended, another would answer to it.
bool is_given_name(std::string_view text);

/// nullopt: some other file.
std::optional<RunFile> parse_run_file(std::string_view name);

/// The files of runs in the open folder, alive or not, by name.
std::vector<RunFile> list_run_files(int folder);

/// The ids of runs.
struct Swept {
  std::vector<std::string> left;   ///< who lives, or may; sorted
  std::vector<std::string> ended;  ///< whose files have been removed
};

/// Removes what killed supervisors left: files whose pid nobody has and whose socket is dead, after
/// ten seconds also of those whom nobody has collected. One look at each file, another at one that
/// is older, and a connection only to those who have ended.
Swept sweep_run_files(int folder);
/// The same for each run that starts. nullopt, and nothing is done: many live, and another one has
/// looked within the last second.
std::optional<Swept> sweep_in_turn(int folder);

/// The socket of `file` refused a connection: removes it, unless it may be one that was made just
/// now and is about to listen. True: it is removed, and what else that run has left is nobody's.
bool remove_refused(int folder, const RunFile& file);

}  // namespace sbx::supervise
