// The rules of stdio.hpp, one function a direction.
#include "supervise/stdio.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace sbx::supervise {
namespace {

Route decide_input(const plan::Supervision& supervision, const StreamFacts& caller) {
  switch (supervision.input) {
    case plan::InputMode::null:
      return Route::null;
    case plan::InputMode::file:
      return Route::file;
    case plan::InputMode::inherit:
      break;
  }
  return caller.kind == FileKind::null_device ? Route::null : Route::relay;
}

Route decide_output(const plan::Supervision& supervision, const StreamFacts& caller,
                    const std::optional<profile::Bytes>& cap) {
  if (supervision.capture) return Route::keep;
  const bool looked_at = supervision.meter || supervision.idle || cap || supervision.redacts;
  return !looked_at && caller.kind == FileKind::null_device ? Route::null : Route::relay;
}

bool same_file(const StreamFacts& a, const StreamFacts& b) {
  return a.device == b.device && a.inode == b.inode;
}

}  // namespace

Result<StdioRoutes> decide_stdio(const plan::Supervision& supervision,
                                 const std::array<StreamFacts, 3>& caller) {
  static constexpr std::array<std::string_view, 3> kNames{"standard input", "standard output",
                                                          "standard error"};
  for (std::size_t i = 0; i < caller.size(); ++i) {
    // What the plan replaces need not be usable.
    if (i == 0 && supervision.input != plan::InputMode::inherit) continue;
    if (i != 0 && supervision.capture) continue;
    if (caller[i].kind == FileKind::directory)
      return std::unexpected(Error{.kind = ErrorKind::usage,
                                   .what = std::string(kNames[i]) + " is a directory",
                                   .hint = "redirect it to a file, a pipe or /dev/null"});
  }
  StdioRoutes routes;
  routes.in = decide_input(supervision, caller[0]);
  if (supervision.tty) {
    routes.out = routes.err = Route::pty;
    return routes;
  }
  const profile::OutputLimits& caps = supervision.output;
  routes.out = decide_output(supervision, caller[1], caps.stdout_bytes);
  routes.err = decide_output(supervision, caller[2], caps.stderr_bytes);
  const bool apart = supervision.meter || caps.stdout_bytes || caps.stderr_bytes;
  if (!apart && routes.out == Route::relay && routes.err == Route::relay &&
      same_file(caller[1], caller[2]))
    routes.err = Route::with_stdout;
  return routes;
}

}  // namespace sbx::supervise
