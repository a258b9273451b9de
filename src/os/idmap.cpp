#include "os/idmap.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "os/process.hpp"

namespace sbx::os {
namespace {

std::unexpected<Errno> fail() noexcept { return std::unexpected(Errno{errno}); }

SysResult<void> write_map(pid_t pid, const char* file, std::uint32_t inner, std::uint32_t outer) {
  char path[64];
  char line[64];
  std::snprintf(path, sizeof path, "/proc/%d/%s", pid, file);
  const int length = std::snprintf(line, sizeof line, "%u %u 1", inner, outer);
  return write_proc_file(path, {line, static_cast<std::size_t>(length)});
}

}  // namespace

SysResult<void> write_id_maps(pid_t pid, const IdMap& map, bool deny_setgroups) {
  if (deny_setgroups) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/setgroups", pid);
    SBX_CHECK(write_proc_file(path, "deny"));
  }
  SBX_CHECK(write_map(pid, "uid_map", map.inner_uid, map.outer_uid));
  return write_map(pid, "gid_map", map.inner_gid, map.outer_gid);
}

SysResult<UniqueFd> make_user_namespace(const IdMap& map) {
  // A namespace needs a process until a descriptor holds it; this one only waits to be killed.
  const pid_t parent = ::getpid();
  const Cloned holder = SBX_TRY(clone_process(CLONE_NEWUSER, -1));
  if (holder.pid == 0) {
    // The parent may have died before the death signal was set; then nobody would end us.
    if (!set_death_signal(SIGKILL) || ::getppid() != parent) ::_exit(1);
    for (;;) ::pause();
  }
  SysResult<UniqueFd> space = [&]() -> SysResult<UniqueFd> {
    SBX_CHECK(write_id_maps(holder.pid, map, false));
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/ns/user", holder.pid);
    UniqueFd fd(::open(path, O_RDONLY | O_CLOEXEC));
    if (!fd.valid()) return fail();
    return fd;
  }();
  SBX_CHECK(signal_pidfd(holder.pidfd.get(), SIGKILL));
  SBX_CHECK(wait_for(holder.pid));
  return space;
}

}  // namespace sbx::os
