#include "cli/guard_process.hpp"

#include <signal.h>
#include <unistd.h>

#include "os/process.hpp"

namespace sbx::cli {

Result<void> guard_process() {
  if (const auto closed = os::cloexec_from(STDERR_FILENO + 1); !closed)
    return std::unexpected(Error{.kind = ErrorKind::host,
                                 .what = "cannot mark the caller's descriptors close-on-exec",
                                 .hint = "sbx needs Linux 5.12 or later",
                                 .sys_errno = closed.error().value,
                                 .feature = Feature::system_calls});
  (void)::signal(SIGPIPE, SIG_IGN);  // cannot fail for a known one
  return {};
}

}  // namespace sbx::cli
