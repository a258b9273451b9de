// What stands around sbx and may refuse it something: sysctls, filters, containers, other walls.
// Plain data: os/surroundings gathers it, only when something was refused or `sbx doctor` asks;
// diagnose/ reads it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sbx {

/// A system call that fails here before the kernel looks at its arguments.
struct RefusedCall {
  std::string name;
  int error = 0;  ///< 0: whoever makes it is killed
  bool operator==(const RefusedCall&) const = default;
};

/// Ids that exist in our user namespace.
struct IdRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

struct Surroundings {
  std::uint32_t euid = 0;
  std::uint32_t egid = 0;
  bool admin = false;  ///< CAP_SYS_ADMIN in our own user namespace
  /// Of the capabilities that a start by root needs in our own user namespace, those that are not
  /// in effect ("CAP_SETUID"); as anybody else: all of them.
  std::vector<std::string> lacking{};
  std::string kernel{};     ///< release, as uname(2) says
  bool filtered = false;    ///< a seccomp filter is on us
  bool proc = false;        ///< a procfs of our own pid namespace is at /proc
  bool chrooted = false;    ///< our root is not a mount of our mount namespace
  std::string container{};  ///< whose sandbox this looks like ("docker", "sbx" ...); empty: none
  std::string lsm{};     ///< active security modules, as the kernel lists them; empty: not readable
  int landlock_abi = 0;  ///< 0: none
  std::string label{};   ///< AppArmor's or SELinux's name for us; empty: none
  std::uint32_t run_id = 0;  ///< the first of the host ids that root's runs take
  std::vector<IdRange> uids{};
  std::vector<IdRange> gids{};
  std::vector<std::string> masked{};  ///< places below /proc that something is mounted over
  /// "kernel.unprivileged_userns_clone", "user.max_user_namespaces" ...: those that exist.
  std::map<std::string, std::int64_t> settings{};
  std::vector<std::string>
      namespaces{};                    ///< kinds that this kernel was built with ("user", "time")
  std::vector<RefusedCall> refused{};  ///< of the calls that a start makes
  std::optional<std::uint64_t> processes{};  ///< RLIMIT_NPROC; none: unlimited
  std::optional<std::uint64_t> files{};      ///< RLIMIT_NOFILE

  /// The setting's value; nullopt: this kernel has none of that name, or it cannot be read.
  [[nodiscard]] std::optional<std::int64_t> setting(const std::string& name) const {
    const auto found = settings.find(name);
    if (found == settings.end()) return std::nullopt;
    return found->second;
  }
};

}  // namespace sbx
