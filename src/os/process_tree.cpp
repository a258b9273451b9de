#include "os/process_tree.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <ctime>
#include <string_view>

#include "base/fixed_text.hpp"
#include "os/fd.hpp"
#include "os/landlock.hpp"

namespace sbx::os {
namespace {

std::unexpected<Errno> fail() noexcept { return std::unexpected(Errno{errno}); }

/// What open(2) and read(2) give of a small file of /proc; empty: nothing.
template <std::size_t N>
std::string_view read_text(const char* path, std::array<char, N>& text) noexcept {
  const UniqueFd file(::open(path, O_RDONLY | O_CLOEXEC));
  const ssize_t size = file.valid() ? ::read(file.get(), text.data(), text.size()) : 0;
  return {text.data(), static_cast<std::size_t>(size < 0 ? 0 : size)};
}

/// How many filters lie on a process (proc(5), Linux 5.9); -1: it is gone.
int filters_of(pid_t process) noexcept {
  constexpr std::string_view kField = "\nSeccomp_filters:\t";
  std::array<char, 4096> buffer{};
  const auto path = FixedText<48>().add("/proc/").add(process).add("/status");
  const std::string_view status = read_text(path.c_str(), buffer);
  const std::size_t at = status.find(kField);
  if (at == std::string_view::npos) return -1;
  int count = -1;
  const char* const number = status.data() + at + kField.size();
  (void)std::from_chars(number, status.data() + status.size(), count);
  return count;
}

/// Kills and reaps our children that have more than `filters`; how many there were. A list too long
/// for one look goes on in the next round.
int end_children(int filters) noexcept {
  std::array<char, 8192> buffer{};
  // Of the one thread that this process has.
  const std::string_view list = read_text("/proc/thread-self/children", buffer);
  int found = 0;
  for (const char *at = list.data(), *const end = at + list.size(); at < end;) {
    pid_t child = 0;
    const auto number = std::from_chars(at, end, child);
    if (number.ec != std::errc{} || number.ptr == end) break;  // the last may be cut
    at = number.ptr + 1;
    if (filters_of(child) <= filters) continue;
    ++found;
    (void)::kill(child, SIGKILL);
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  return found;
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

void end_adopted(int rounds) noexcept {
  constexpr ::timespec kPause{0, 1'000'000};
  const int ours = filters_of(::getpid());
  // Who is killed may have forked before: its child comes next.
  for (int round = 0; round < rounds && end_children(ours) > 0; ++round)
    (void)::nanosleep(&kPause, nullptr);
}

}  // namespace sbx::os
