// Runs in the supervisor. cgroup-v2.rst, "cgroup.freeze".
#include "os/cgroup_freeze.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/fail.hpp"
#include "os/cgroup_events.hpp"
#include "os/fd.hpp"

namespace sbx::os {
namespace {

SysResult<void> write_freeze(int dir_fd, char value) {
  const UniqueFd file(::openat(dir_fd, "cgroup.freeze", O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid() || ::write(file.get(), &value, 1) != 1) return fail();
  return {};
}

}  // namespace

SysResult<void> freeze_cgroup(int dir_fd, std::chrono::milliseconds within) {
  SBX_CHECK(write_freeze(dir_fd, '1'));
  auto frozen = await_cgroup_event(dir_fd, "frozen 1", within);
  if (!frozen) static_cast<void>(write_freeze(dir_fd, '0'));  // it succeeded with '1' just now
  return frozen;
}

SysResult<void> thaw_cgroup(int dir_fd) { return write_freeze(dir_fd, '0'); }

}  // namespace sbx::os
