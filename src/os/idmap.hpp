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

/// A user namespace with this map and no process in it, for idmap_tree(). Needs CAP_SETUID and
/// CAP_SETGID in our own.
SysResult<UniqueFd> make_user_namespace(const IdMap& map);

}  // namespace sbx::os
