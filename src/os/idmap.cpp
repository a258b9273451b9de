#include "os/idmap.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/fail.hpp"
#include "base/fixed_text.hpp"
#include "os/process.hpp"

namespace sbx::os {
namespace {

FixedText<64> proc_path(pid_t pid, const char* file) {
  return FixedText<64>().add("/proc/").add(pid).add("/").add(file);
}

SysResult<void> write_map(pid_t pid, const char* file, std::uint32_t inner, std::uint32_t outer) {
  return write_proc_file(proc_path(pid, file).c_str(),
                         FixedText<64>().add(inner).add(" ").add(outer).add(" 1").view());
}

}  // namespace

SysResult<void> write_id_maps(pid_t pid, const IdMap& map, bool deny_setgroups) {
  if (deny_setgroups) {
    SBX_CHECK(write_proc_file(proc_path(pid, "setgroups").c_str(), "deny"));
  }
  SBX_CHECK(write_map(pid, "uid_map", map.inner_uid, map.outer_uid));
  return write_map(pid, "gid_map", map.inner_gid, map.outer_gid);
}

UserNamespaceMaker::~UserNamespaceMaker() { static_cast<void>(reap()); }

SysResult<void> UserNamespaceMaker::reap() {
  if (holder_ == 0) return {};
  SBX_CHECK(wait_for(std::exchange(holder_, 0)));
  return {};
}

SysResult<UniqueFd> UserNamespaceMaker::make(const IdMap& map) {
  SBX_CHECK(reap());
  holder_ = SBX_TRY(clone_namespace_holder());
  SysResult<UniqueFd> space = [&]() -> SysResult<UniqueFd> {
    SBX_CHECK(write_id_maps(holder_, map, false));
    UniqueFd fd(::open(proc_path(holder_, "ns/user").c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.valid()) return fail();
    return fd;
  }();
  SBX_CHECK(signal_child(holder_, SIGKILL));
  return space;
}

}  // namespace sbx::os
