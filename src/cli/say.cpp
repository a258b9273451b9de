#include "cli/say.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "cli/exit_code.hpp"
#include "supervise/sink.hpp"
#include "supervise/stdio_setup.hpp"

namespace sbx::cli {

SysResult<void> write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      // A descriptor that the caller made non-blocking.
      struct pollfd ready{.fd = fd, .events = POLLOUT, .revents = 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return fail();
    }
  }
  return {};
}

SysResult<void> write_patiently(int fd, std::string_view text, int patience_ms) {
  supervise::Sink sink(fd, supervise::kind_of(fd));
  while (!text.empty()) {
    text.remove_prefix(SBX_TRY(sink.write(text)));
    struct pollfd room{.fd = sink.poll_fd(), .events = POLLOUT, .revents = 0};
    if (!text.empty() && ::poll(&room, 1, patience_ms) == 0)
      return std::unexpected(Errno{ETIMEDOUT});
  }
  return {};
}

void write_error(std::string_view text) {
  static bool stuck = false;
  const auto written = write_patiently(STDERR_FILENO, text, stuck ? 0 : kPatienceMs);
  // Standard error is where any other failure would be told.
  stuck = stuck || (!written && written.error().value == ETIMEDOUT);
}

bool wants_colour() {
  const char* const refused = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && (refused == nullptr || *refused == '\0') &&
         terminal != nullptr && std::string_view(terminal) != "dumb";
}

void say(std::string_view text) {
  constexpr std::size_t kLongest = 4096;
  std::string out;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.empty()) out += "sbx: " + printable(line, kLongest) + "\n";
  }
  write_error(out);
}

void say_hints_once(profile::Problems& problems) {
  for (std::size_t i = 1; i < problems.size(); ++i)
    if (problems[i - 1].hint == problems[i].hint) problems[i - 1].hint.clear();
}

void say(profile::Problems problems) {
  say_hints_once(problems);
  for (const Error& problem : problems) say(problem.to_string());
}

int fail_with(const Error& error) {
  say(error.to_string());
  return kFailed;
}

int print(std::string_view text) {
  const SysResult<void> written = write_all(STDOUT_FILENO, text);
  if (written) return kSuccess;
  say(Error{.kind = ErrorKind::host,
            .what = "cannot write to standard output",
            .sys_errno = written.error().value}
          .to_string());
  return kFailed;
}

}  // namespace sbx::cli
