// workspace.git: protect, for what is written without a sandbox around it. What git on the host
// obeys is found as for the plan of a run, anew each time: the operator may have changed it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace sbx::mcp {

class GitGuard {
 public:
  /// `env`: of the runs, where the caller's own configuration is looked for.
  explicit GitGuard(std::map<std::string, std::string> env) : env_(std::move(env)) {}

  /// Error: a file at `relative` in the folder `top` would be, or would get in the way of,
  /// something that runs keep; or nobody can tell.
  [[nodiscard]] Result<void> check(int top, std::string_view relative) const;

 private:
  std::map<std::string, std::string> env_;
};

}  // namespace sbx::mcp
