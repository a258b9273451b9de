// What the profile `default` does here: it is run.
#pragma once

#include <string>
#include <vector>

namespace sbx::cli::doctor {

struct DefaultStart {
  std::vector<std::string> allowed{};  ///< what was allowed to degrade: words of --degrade
  bool starts = false;
  std::string tier = "none";  ///< as in the result's isolation
  std::vector<std::string>
      degraded{};  ///< nothing, unless the installed profile of that name allows it
  double setup_ms = 0;
  std::string error{};  ///< what it said when it does not start: a few lines
};

/// Runs `sbx run default -- true` from the current directory, in a child, and reads its result;
/// with `--degrade` for each of `allowed`.
DefaultStart try_default(const std::vector<std::string>& allowed = {});

}  // namespace sbx::cli::doctor
