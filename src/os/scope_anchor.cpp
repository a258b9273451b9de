#include "os/scope_anchor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <thread>

#include "base/fail.hpp"
#include "os/cgroup_file.hpp"
#include "os/cgroup_find.hpp"
#include "os/fd.hpp"

namespace sbx::os {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// The manager takes one after the other: half a minute for hundreds at once on a busy machine.
constexpr milliseconds kWait(60'000);
constexpr milliseconds kLongestPause(100);
constexpr int kLookForSignalMs = 500;
constexpr std::size_t kSaid = 2000;

/// Until this process is in `unit`. Looks less and less often, and at little: the manager starts
/// nothing while calls come in, and many runs at once must not take the processor from it.
bool await_scope(const std::string& unit, Clock::time_point deadline) {
  milliseconds pause(1);
  while (Clock::now() < deadline) {
    if (read_kernel_text("/proc/self/cgroup").contains("/" + unit + "\n")) return true;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kLongestPause);
  }
  return false;
}

/// Runs it with `errors` as its standard error and nothing else of ours; true: it exited with 0.
bool run_command(const std::vector<std::string>& words, int errors) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t streams;
  ::posix_spawn_file_actions_init(&streams);
  ::posix_spawn_file_actions_addopen(&streams, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&streams, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&streams, errors, STDERR_FILENO);
  pid_t pid = 0;
  const int failed = ::posix_spawn(&pid, argv.front(), &streams, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&streams);
  if (failed != 0) return false;
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Somebody may wait for the end of what our caller has open.
void close_all_but(int kept) {
  const auto number = static_cast<unsigned>(kept);
  if (number > 0) ::close_range(0, number - 1, 0);
  ::close_range(number + 1, ~0U, 0);
}

[[noreturn]] void end(Moved moved) { ::_exit(static_cast<int>(moved)); }

[[noreturn]] void be_anchor(pid_t supervisor, const ScopeCalls& calls, const std::string& unit,
                            int errors) {
  const auto deadline = Clock::now() + kWait;
  ::setsid();  // whoever kills our whole group must not reach it
  close_all_but(errors);
  if (!run_command(calls.start(::getpid()), errors)) end(Moved::refused);
  // The call answers when the job is queued.
  if (!await_scope(unit, deadline)) end(Moved::late);
  // Who has its number when it is gone is nobody to be moved.
  if (::getppid() != supervisor || !run_command(calls.attach, errors)) end(Moved::refused);
  end(Moved::yes);
}

/// Our mask keeps it for the supervisor (signalfd(2)), who is here and not there.
bool is_asked_to_end() {
  ::sigset_t pending;
  if (::sigpending(&pending) != 0) return false;
  return std::ranges::any_of(std::array{SIGINT, SIGTERM, SIGHUP, SIGQUIT}, [&pending](int signal) {
    return ::sigismember(&pending, signal) == 1;
  });
}

/// Until everybody has closed the other end.
SysResult<void> read_all(int from, std::string& said) {
  std::array<char, 512> chunk{};
  while (true) {
    ::pollfd watched{from, POLLIN, 0};
    const int ready = ::poll(&watched, 1, kLookForSignalMs);
    if (ready < 0 && errno != EINTR) return fail();
    if (ready == 0 && is_asked_to_end()) return std::unexpected(Errno{EINTR});
    if (ready <= 0) continue;
    const ssize_t got = ::read(from, chunk.data(), chunk.size());
    if (got <= 0) return {};
    if (said.size() < kSaid) said.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

std::string own_v2_group(const std::string& mount) {
  for (const OwnGroup& own :
       own_groups(read_kernel_text("/proc/self/mountinfo"), read_kernel_text("/proc/self/cgroup")))
    if (own.version == 2 && own.mount == mount) return own.group;
  return {};
}

SysResult<Moved> move_with_anchor(const ScopeCalls& calls, const std::string& mount,
                                  const std::string& unit, std::string& said) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail();
  const UniqueFd errors(ends[0]);
  UniqueFd theirs(ends[1]);
  const pid_t self = ::getpid();
  const pid_t anchor = ::fork();
  if (anchor < 0) return fail();
  if (anchor == 0) be_anchor(self, calls, unit, theirs.get());
  theirs.reset();
  SBX_CHECK(read_all(errors.get(), said));
  int status = 0;
  while (::waitpid(anchor, &status, 0) < 0)
    if (errno != EINTR) return fail();
  if (!WIFEXITED(status)) return Moved::refused;
  const auto moved = static_cast<Moved>(WEXITSTATUS(status));
  if (moved == Moved::yes && !own_v2_group(mount).ends_with("/" + unit)) return Moved::late;
  return moved;
}

}  // namespace sbx::os
