#include "os/borrowed_rights.hpp"

#include <grp.h>
#include <linux/capability.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

namespace sbx::os {
namespace {

std::unexpected<Errno> fail() noexcept { return std::unexpected(Errno{errno}); }

constexpr ::__user_cap_header_struct kVersion{_LINUX_CAPABILITY_VERSION_3, 0};
using Sets = std::array<::__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3>;

SysResult<void> get(Sets& sets) noexcept {
  ::__user_cap_header_struct header = kVersion;
  if (::syscall(SYS_capget, &header, sets.data()) != 0) return fail();
  return {};
}

/// setfsuid(2) has no error: asked for an id that cannot be, it tells which one it is.
bool become_for_files(uid_t uid, gid_t gid) noexcept {
  constexpr auto kAsk = static_cast<std::uint32_t>(-1);
  static_cast<void>(::setfsgid(gid));
  static_cast<void>(::setfsuid(uid));
  return ::setfsgid(kAsk) == static_cast<int>(gid) && ::setfsuid(kAsk) == static_cast<int>(uid);
}

}  // namespace

SysResult<BorrowedRights::Effective> BorrowedRights::effective() noexcept {
  Sets sets;
  SBX_CHECK(get(sets));
  return Effective{sets[0].effective, sets[1].effective};
}

SysResult<void> BorrowedRights::set_effective(Effective wanted) noexcept {
  Sets sets;
  SBX_CHECK(get(sets));
  sets[0].effective = wanted.low;
  sets[1].effective = wanted.high;
  ::__user_cap_header_struct header = kVersion;
  if (::syscall(SYS_capset, &header, sets.data()) != 0) return fail();
  return {};
}

SysResult<void> BorrowedRights::take() {
  if (taken_) return {};
  own_ = SBX_TRY(effective());
  uid_ = ::geteuid();
  gid_ = ::getegid();
  const int count = ::getgroups(0, nullptr);
  if (count < 0) return fail();
  groups_.resize(static_cast<std::size_t>(count));
  if (::getgroups(count, groups_.data()) != count) return fail();
  taken_ = true;  // half of it has to be given back, too
  const auto done = become();
  if (!done) give_back();
  return done;
}

SysResult<void> BorrowedRights::become() noexcept {
  if (id_) {
    if (::setgroups(0, nullptr) != 0) return fail();
    if (!become_for_files(*id_, *id_)) return std::unexpected(Errno{EPERM});
  }
  return set_effective({});
}

void BorrowedRights::give_back() noexcept {
  if (!taken_) return;
  taken_ = false;
  // The capabilities first: they are what the rest needs.
  bool back = set_effective(own_).has_value();
  if (id_)
    back = back && become_for_files(uid_, gid_) && ::setgroups(groups_.size(), groups_.data()) == 0;
  if (!back) std::abort();
}

BorrowedRights::~BorrowedRights() { give_back(); }

}  // namespace sbx::os
