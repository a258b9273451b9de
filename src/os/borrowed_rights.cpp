#include "os/borrowed_rights.hpp"

#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/fail.hpp"

namespace sbx::os {
namespace {

constexpr ::__user_cap_header_struct kVersion{_LINUX_CAPABILITY_VERSION_3, 0};
using Sets = std::array<::__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3>;

SysResult<void> get(Sets& sets) noexcept {
  ::__user_cap_header_struct header = kVersion;
  if (::syscall(SYS_capget, &header, sets.data()) != 0) return fail();
  return {};
}

/// setfsuid(2) has no error: asked for an id that cannot be, it tells which one it is.
bool become_for_files(const Ids& ids) noexcept {
  constexpr auto kAsk = static_cast<std::uint32_t>(-1);
  static_cast<void>(::setfsgid(ids.gid));
  static_cast<void>(::setfsuid(ids.uid));
  return ::setfsgid(kAsk) == static_cast<int>(ids.gid) &&
         ::setfsuid(kAsk) == static_cast<int>(ids.uid);
}

/// The kernel forgets who has to die with its parent whenever ids change or capabilities come back
/// (prctl(2), PR_SET_PDEATHSIG): says it again, and what has happened meanwhile.
class DeathSignal {
 public:
  DeathSignal() noexcept : parent_(::getppid()) { (void)::prctl(PR_GET_PDEATHSIG, &signal_); }
  ~DeathSignal() {
    if (signal_ == 0) return;
    (void)::prctl(PR_SET_PDEATHSIG, signal_);
    if (::getppid() != parent_) (void)::raise(signal_);
  }
  DeathSignal(const DeathSignal&) = delete;
  DeathSignal& operator=(const DeathSignal&) = delete;
  DeathSignal(DeathSignal&&) = delete;
  DeathSignal& operator=(DeathSignal&&) = delete;

 private:
  pid_t parent_;
  int signal_ = 0;
};

}  // namespace

SysResult<std::optional<Ids>> rights_in(int folder) noexcept {
  if (::geteuid() != 0) return std::nullopt;
  struct ::stat what{};
  if (::fstat(folder, &what) != 0) return fail();
  return Ids{what.st_uid, what.st_gid};
}

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
  own_ids_ = {::geteuid(), ::getegid()};
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
  const DeathSignal kept;
  if (ids_) {
    if (::setgroups(0, nullptr) != 0) return fail();
    if (!become_for_files(*ids_)) return std::unexpected(Errno{EPERM});
  }
  return set_effective({});
}

void BorrowedRights::give_back() noexcept {
  if (!taken_) return;
  taken_ = false;
  const DeathSignal kept;
  // The capabilities first: they are what the rest needs.
  bool back = set_effective(own_).has_value();
  if (ids_)
    back = back && become_for_files(own_ids_) && ::setgroups(groups_.size(), groups_.data()) == 0;
  if (!back) std::abort();
}

BorrowedRights::~BorrowedRights() { give_back(); }

}  // namespace sbx::os
