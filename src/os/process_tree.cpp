#include "os/process_tree.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <string_view>

#include "os/fd.hpp"
#include "os/landlock.hpp"

namespace sbx::os {
namespace {

std::unexpected<Errno> fail() noexcept { return std::unexpected(Errno{errno}); }

/// SIGKILL for each child in the kernel's list of them (proc(5)); a list too long for one look goes
/// on in the next round.
void kill_children() noexcept {
  // Of the one thread that this process has.
  const UniqueFd file(::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return;
  std::array<char, 8192> text{};
  const ssize_t size = ::read(file.get(), text.data(), text.size());
  const char* at = text.data();
  const char* const end = text.data() + (size < 0 ? 0 : size);
  while (at < end) {
    pid_t child = 0;
    const auto number = std::from_chars(at, end, child);
    if (number.ec != std::errc{} || number.ptr == end) return;  // the last may be cut
    if (child > 0) (void)::kill(child, SIGKILL);
    at = number.ptr + 1;
  }
}

}  // namespace

int end_tree_signal() noexcept { return SIGRTMAX; }

SysResult<void> adopt_orphans() noexcept {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) return fail();
  return {};
}

SysResult<void> confine_signals(int landlock_abi) noexcept {
  const UniqueFd rules =
      SBX_TRY(landlock_ruleset(landlock_abi, {.files = false, .tcp = false, .scope = true}));
  SBX_CHECK(landlock_restrict(rules.get()));
  if (::kill(::getppid(), 0) == 0 || errno != EPERM) return std::unexpected(Errno{EPROTO});
  return {};
}

void end_descendants() noexcept {
  for (;;) {
    (void)::kill(-1, SIGKILL);
    if (::waitpid(-1, nullptr, 0) < 0 && errno == ECHILD) return;
  }
}

void end_children(int rounds) noexcept {
  constexpr ::timespec kPause{0, 1'000'000};
  for (int round = 0; round < rounds; ++round) {
    kill_children();
    pid_t reaped = 0;
    while ((reaped = ::waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (reaped < 0) return;
    (void)::nanosleep(&kPause, nullptr);
  }
}

}  // namespace sbx::os
