// User id maps: of a new process, and of a mount.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

/// One uid and one gid inside a user namespace, and what they are outside.
struct IdMap {
  std::uint32_t inner_uid = 0;
  std::uint32_t inner_gid = 0;
  std::uint32_t outer_uid = 0;
  std::uint32_t outer_gid = 0;
};

/// Writes /proc/PID/uid_map and gid_map of a child in a new user namespace. `deny_setgroups` is
/// what an ordinary user has to do first (user_namespaces(7)).
SysResult<void> write_id_maps(pid_t pid, const IdMap& map, bool deny_setgroups);

/// Makes user namespaces without processes in them, for idmap_tree(). Each needs one to begin with,
/// killed at once; nobody has to wait while it ends, so that is put off to the next call or our
/// end.
class UserNamespaceMaker {
 public:
  UserNamespaceMaker() = default;
  UserNamespaceMaker(const UserNamespaceMaker&) = delete;
  UserNamespaceMaker& operator=(const UserNamespaceMaker&) = delete;
  ~UserNamespaceMaker();

  /// A namespace with this map. Needs CAP_SETUID and CAP_SETGID in our own.
  SysResult<UniqueFd> make(const IdMap& map);
  /// Waits until the last one's process has ended.
  SysResult<void> reap();

 private:
  pid_t holder_ = 0;
};

}  // namespace sbx::os
