#include "os/landlock.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/fail.hpp"

namespace sbx::os {
namespace {

// The kernel's ABI, spelled out: Debian 12's headers end at ABI 2, kernels go on (landlock(7)).
struct RulesetAttr {
  std::uint64_t access_fs;
  std::uint64_t access_net;
  std::uint64_t scoped;
};
struct [[gnu::packed]] PathBeneathAttr {
  std::uint64_t allowed;
  std::int32_t parent_fd;
};
constexpr std::uint32_t kCreateVersion = 1;
constexpr int kRulePathBeneath = 1;

constexpr std::uint64_t kExecute = 1U << 0U;
constexpr std::uint64_t kWriteFile = 1U << 1U;
constexpr std::uint64_t kReadFile = 1U << 2U;
constexpr std::uint64_t kReadDir = 1U << 3U;
constexpr std::uint64_t kAbi1 = (1U << 13U) - 1;
constexpr std::uint64_t kRefer = 1U << 13U;     // ABI 2
constexpr std::uint64_t kTruncate = 1U << 14U;  // ABI 3
constexpr std::uint64_t kIoctlDev = 1U << 15U;  // ABI 5
constexpr std::uint64_t kTcp = 3;               // ABI 4: bind, connect
constexpr std::uint64_t kScopes = 3;            // ABI 6: abstract unix sockets, signals
constexpr std::uint64_t kFileRights = kExecute | kWriteFile | kReadFile | kTruncate | kIoctlDev;

std::uint64_t handled_rights(int abi) noexcept {
  std::uint64_t rights = kAbi1;
  if (abi >= 2) rights |= kRefer;
  if (abi >= 3) rights |= kTruncate;
  if (abi >= 5) rights |= kIoctlDev;
  return rights;
}

std::uint64_t rights_of(LandlockFiles files, int abi) noexcept {
  const std::uint64_t all = handled_rights(abi);
  return files == LandlockFiles::all ? all : all & kRefer;
}

}  // namespace

int landlock_abi() noexcept {
  const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kCreateVersion);
  return abi < 0 ? 0 : static_cast<int>(abi);
}

SysResult<UniqueFd> landlock_ruleset(int abi, const LandlockKinds& kinds) noexcept {
  const RulesetAttr attr{rights_of(kinds.files, abi), kinds.tcp && abi >= 4 ? kTcp : 0,
                         kinds.scope && abi >= 6 ? kScopes : 0};
  // An older kernel refuses bytes it does not know, so the size follows the ABI.
  const std::size_t size = abi >= 6 ? sizeof attr : abi >= 4 ? 16 : 8;
  const long fd = ::syscall(SYS_landlock_create_ruleset, &attr, size, 0U);
  if (fd < 0) return fail();
  return UniqueFd(static_cast<int>(fd));
}

SysResult<void> landlock_allow(int ruleset, int abi, int path_fd, LandlockAccess access) noexcept {
  std::uint64_t rights = kExecute | kReadFile | kReadDir;
  switch (access) {
    case LandlockAccess::read:
      break;
    case LandlockAccess::write:
      rights = handled_rights(abi) & ~kIoctlDev;
      break;
    case LandlockAccess::moves:
      rights = kRefer;
      break;
    case LandlockAccess::device:
      rights |= kWriteFile | kTruncate | kIoctlDev;
      break;
  }
  rights &= handled_rights(abi);
  const auto add = [ruleset](const PathBeneathAttr& rule) {
    return ::syscall(SYS_landlock_add_rule, ruleset, kRulePathBeneath, &rule, 0U) == 0;
  };
  if (add({rights, path_fd})) return {};
  // A file takes none of the rights on folders; most rules are about folders, which need no look.
  if (errno != EINVAL || !add({rights & kFileRights, path_fd})) return fail();
  return {};
}

SysResult<void> landlock_restrict(int ruleset) noexcept {
  if (::syscall(SYS_landlock_restrict_self, ruleset, 0U) != 0) return fail();
  return {};
}

}  // namespace sbx::os
