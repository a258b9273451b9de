// What a filter looks like when somebody listens for what it denies (seccomp_unotify(2)). Pure.
//
// The listener gets a call's numbers, not the answer that the policy has for it: it evaluates the
// plain program again (evaluate.hpp). So the two programs differ in their returns alone.
#pragma once

#include <linux/filter.h>
#include <sys/syscall.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "seccomp/build.hpp"

namespace sbx::seccomp {

/// `plain`, with SECCOMP_RET_USER_NOTIF in place of each denial that a person would want to hear
/// of: EPERM, and what `mode` makes of it. ENOSYS, EINVAL and ENOMEM stay: C libraries probe for
/// them, in every thread and with every start.
std::vector<sock_filter> notifying(std::span<const sock_filter> plain, OnDeny mode);

/// Is `answer` (SECCOMP_RET_*) one of these denials?
bool is_told(std::uint32_t answer, OnDeny mode);

/// A call that the launcher makes itself when the filter is in force already, told from the
/// payload's by its first argument (its low 32 bits).
struct OwnCall {
  std::uint32_t number = 0;
  std::uint32_t first_argument = 0;
};

/// Does `plain` let it through, whatever its other arguments are? False too when it cannot be said.
bool lets_through(std::span<const sock_filter> plain, const Request& request, const OwnCall& call);

/// `program`, which first lets `calls` through.
std::vector<sock_filter> with_pass(std::span<const sock_filter> program,
                                   std::span<const OwnCall> calls);
/// What takes that back: a second filter, which answers `calls` as `plain` does, and denies those
/// that `request` narrows by arguments; it allows the rest. Of several filters the kernel follows
/// the strictest (seccomp(2)).
std::vector<sock_filter> end_of_pass(std::span<const sock_filter> plain, const Request& request,
                                     std::span<const OwnCall> calls);

/// Under `program` a thread may make page faults that it answers itself (userfaultfd(2)), and so
/// hold whoever reads its memory, for as long as it likes. True too when it cannot be said.
bool may_hold_reader(std::span<const sock_filter> program);

/// `program`, which also tells of each of `calls` (numbers), whatever its answer to them is.
std::vector<sock_filter> hearing(std::span<const sock_filter> program,
                                 std::span<const std::uint32_t> calls);
/// A call that matters when one of `bits` is in its argument (of which the low 32 bits are looked
/// at).
struct FlaggedCall {
  std::uint32_t number = 0;
  std::size_t argument = 0;
  std::uint32_t bits = 0;
};
/// The same, of calls that matter.
std::vector<sock_filter> hearing(std::span<const sock_filter> program,
                                 std::span<const FlaggedCall> calls);
/// What makes processes and threads. Nobody may be told of these who lets them pass: a signal that
/// comes before the listener has the notice makes them fail with EINTR, which they never do
/// otherwise, and a shell has one child's SIGCHLD while it makes the next.
#if defined(SYS_fork)
constexpr std::array<std::uint32_t, 3> kForks{SYS_clone, SYS_fork, SYS_vfork};
#else
constexpr std::array<std::uint32_t, 1> kForks{SYS_clone};
#endif
/// `program`, which tells of every call but those of `deaf`.
std::vector<sock_filter> hearing_all(std::span<const sock_filter> program,
                                     std::span<const std::uint32_t> deaf);

}  // namespace sbx::seccomp
