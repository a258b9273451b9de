// Processes: clone3, pidfds, waiting, and the things a process sets on itself. Allocation-free.
#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

struct Cloned {
  pid_t pid = 0;  ///< 0 in the child
  UniqueFd pidfd{};
};

/// clone3(2) as fork(2) with namespace flags; `cgroup_fd` >= 0 puts the child into that v2 group.
/// Without flags, where a container's filter refuses clone3, as clone(2) and a write.
/// The child shares nothing with us but open files: it may use plain memory, but no threads exist.
SysResult<Cloned> clone_process(std::uint64_t namespaces, int cgroup_fd) noexcept;

/// What a child does with what it was given; it never comes back.
using ChildMain = void (*)(void*) noexcept;

/// Plain fork without pidfd, and without at-fork handlers (there are none of ours); by clone(2)
/// where a filter refuses clone3.
SysResult<pid_t> fork_process(ChildMain child, void* argument) noexcept;

/// A child in our memory but in a user namespace of its own, that only waits to be killed; we go on
/// meanwhile. It goes with us. At most one at a time: its stack is static.
SysResult<pid_t> clone_namespace_holder() noexcept;

/// kill(2) of a child that nobody has waited for yet: until then its pid is nobody else's.
SysResult<void> signal_child(pid_t child, int signal) noexcept;

/// A pidfd of any process: what is asked of it afterwards is asked of no other.
SysResult<UniqueFd> open_process(pid_t process) noexcept;
SysResult<void> signal_process(int pidfd, int signal) noexcept;

struct Ended {
  int wait_status = 0;      ///< as of waitpid(2)
  struct ::rusage usage{};  ///< of it and of every descendant it waited for
};
/// Waits for child `pid` to end.
SysResult<Ended> wait_for(pid_t pid) noexcept;

/// Ends this process at once: no destructor runs, nothing buffered is written.
[[noreturn]] void end_process(int exit_code) noexcept;

/// setgroups(0) when `drop_groups`, then real, effective and saved gid and uid.
SysResult<void> become_ids(std::uint32_t uid, std::uint32_t gid, bool drop_groups) noexcept;

SysResult<void> set_death_signal(int signal) noexcept;  ///< PR_SET_PDEATHSIG
/// SIGKILL when `parent` dies: of a child that it has forked, in its pid namespace. ESRCH: it has
/// died before this, and nobody would end us.
SysResult<void> die_with_parent(pid_t parent) noexcept;
SysResult<void> set_dumpable(bool dumpable) noexcept;  ///< PR_SET_DUMPABLE
bool is_dumpable() noexcept;
SysResult<void> set_no_new_privs() noexcept;
/// New session; with `controlling_tty_fd` >= 0 that terminal becomes its controlling one.
SysResult<void> new_session(int controlling_tty_fd) noexcept;
/// Default disposition for every signal, and none blocked.
SysResult<void> reset_signals() noexcept;
/// Blocks every signal for good: init takes them with sigwaitinfo(2).
SysResult<void> block_all_signals() noexcept;
/// Marks every descriptor from `first` on close-on-exec, or closes them now.
SysResult<void> cloexec_from(unsigned first) noexcept;
SysResult<void> close_from(unsigned first) noexcept;

/// The RLIMIT_* number for a lower-case name ("nofile"), or -1.
int rlimit_number(std::string_view name) noexcept;
/// Our own hard limit of that name; nothing: there is none.
std::optional<std::uint64_t> hard_limit(std::string_view name) noexcept;
/// Soft = hard = `value` (RLIM_INFINITY for none). Asking for more than the hard limit we have
/// takes what we have: a limit is a ceiling. Of "cpu" the hard limit is a second higher.
SysResult<void> set_rlimit(int resource, std::uint64_t value) noexcept;

/// Writes `text` to the existing file `path` in one write(2) (for /proc files).
SysResult<void> write_proc_file(const char* path, std::string_view text) noexcept;

}  // namespace sbx::os
