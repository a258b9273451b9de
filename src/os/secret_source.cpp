#include "os/secret_source.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "os/fd.hpp"
#include "os/secret_command.hpp"
#include "os/signals.hpp"

namespace sbx::os {
namespace {

using Clock = std::chrono::steady_clock;

std::unexpected<Error> fail(std::string what, std::string hint = {}, int error = 0) {
  return std::unexpected(Error{.kind = ErrorKind::profile,
                               .what = std::move(what),
                               .hint = std::move(hint),
                               .sys_errno = error});
}

std::unexpected<Error> too_long(const std::string& what) {
  return fail(what + " gives more than 64 KiB", "a secret is a key or a token, not a file of data");
}

/// Until its end. `until`: for what may never come to it. `interrupt`: readable when nobody wants
/// it any more.
Result<void> read_all(int fd, const std::string& what, Clock::time_point until, SecretMemory& into,
                      int interrupt = -1) {
  while (!into.too_long()) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    ::pollfd ready[] = {{fd, POLLIN, 0}, {interrupt, POLLIN, 0}};
    const int found = ::poll(ready, 2, static_cast<int>(std::max<long long>(left, 0)));
    if (found == 0)
      return fail(what + " did not come to its end within " +
                  std::to_string(kSecretPatience.count()) + " seconds");
    if (found < 0 && errno != EINTR) return fail("cannot wait for " + what, {}, errno);
    if (found < 0) continue;
    if (ready[1].revents != 0) return fail("sbx was asked to end while it read " + what);
    const std::span<char> room = into.room();
    const ssize_t got = ::read(fd, room.data(), room.size());
    if (got == 0) return {};
    if (got > 0)
      into.add(static_cast<std::size_t>(got));
    else if (errno != EINTR && errno != EAGAIN)
      return fail("cannot read " + what, {}, errno);
  }
  return too_long(what);
}

Result<void> from_variable(const std::string& name, SecretMemory& into) {
  const char* const value = ::getenv(name.c_str());
  const std::string what = "the variable " + quote(name);
  if (value == nullptr)
    return fail(what + " is not set", "set it where sbx is started, or take the secret elsewhere");
  const std::string_view text = value;
  const std::span<char> room = into.room();
  if (text.size() >= room.size()) return too_long(what);
  text.copy(room.data(), text.size());
  into.add(text.size());
  return {};
}

/// A relative path is one of the profile's folder, and no link may lead out of that: the payload of
/// an earlier run may have put one there.
UniqueFd open_secret(const SecretRequest& request, const std::string& path) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  if (path.starts_with('/')) return UniqueFd(::open(path.c_str(), kFlags));
  const UniqueFd base(::open(request.base.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!base.valid()) return {};
  struct ::open_how how{};
  how.flags = kFlags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  return UniqueFd(
      static_cast<int>(::syscall(SYS_openat2, base.get(), path.c_str(), &how, sizeof how)));
}

Result<void> from_file(const SecretRequest& request, const std::string& path,
                       Clock::time_point until, SecretMemory& into) {
  const std::string what = "the file " + quote(path);
  const UniqueFd file = open_secret(request, path);
  if (!file.valid()) {
    std::string hint;
    if (errno == EXDEV)
      hint = "it leads outside of " + request.base + ": write the absolute path if that is meant";
    return fail("cannot open " + what, std::move(hint), errno);
  }
  struct ::stat about{};
  if (::fstat(file.get(), &about) != 0) return fail("cannot read " + what, {}, errno);
  if (!S_ISREG(about.st_mode) && !S_ISFIFO(about.st_mode))
    return fail(what + " is no file", "name a file, or a pipe as in <(COMMAND)");
  SBX_CHECK(read_all(file.get(), what, until, into));
  into.strip_newline();
  return {};
}

Result<void> from_descriptor(const std::string& number, Clock::time_point until,
                             SecretMemory& into) {
  const std::string what = "the descriptor " + number;
  const int fd = parse_number<int>(number).value_or(-1);
  if (fd <= STDERR_FILENO || ::fcntl(fd, F_GETFD) < 0)
    return fail(what + " is not open", "open it where sbx is started: " + number + "< FILE");
  const Result<void> read = read_all(fd, what, until, into);
  ::close(fd);
  return read;
}

Result<void> from_command(const std::string& text, Clock::time_point until, SecretMemory& into) {
  const std::string what = "the command " + quote(text);
  const EndWatch watch;  // what it has started ends before us
  auto command = SecretCommand::start(text, watch.before());
  if (!command) return fail("cannot start " + what, {}, command.error().value);
  SBX_CHECK(read_all(command->output(), what, until, into, watch.fd()));
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
  const int status = command->wait(left, watch.fd());
  if (status < 0) return fail(what + " did not end in time");
  if (WIFSIGNALED(status))
    return fail(what + " was killed by signal " + std::to_string(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0)
    return fail(what + " ended with exit code " + std::to_string(WEXITSTATUS(status)));
  into.strip_newline();
  return {};
}

Result<void> read_into(const SecretRequest& request, SecretMemory& into) {
  const std::size_t colon = request.from.find(':');
  const std::string kind = request.from.substr(0, colon);
  const std::string what = request.from.substr(colon + 1);
  const Clock::time_point until = Clock::now() + kSecretPatience;
  if (kind == "env") return from_variable(what, into);
  if (kind == "file") return from_file(request, what, until, into);
  if (kind == "fd") return from_descriptor(what, until, into);
  return from_command(what, until, into);
}

}  // namespace

Result<SecretMemory> read_secret(const SecretRequest& request) {
  auto memory = SecretMemory::make(request.variable);
  if (!memory) return fail("no memory for it", {}, memory.error().value);
  SBX_CHECK(read_into(request, *memory));
  const std::string_view value = memory->value();
  if (value.empty()) return fail("its value is empty", "a secret has at least one byte");
  if (!request.variable.empty() && value.contains('\0'))
    return fail("its value holds a null byte, which no variable can", "use a file: `at`");
  return std::move(*memory);
}

void forget_variable(const char* name) {
  // What it was is in the area that /proc/PID/environ shows, until somebody writes over it.
  if (char* const value = ::getenv(name)) ::explicit_bzero(value, ::strlen(value));
  (void)::unsetenv(name);
}

}  // namespace sbx::os
