#include "os/seccomp_notify.hpp"

#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/fail.hpp"

namespace sbx::os {
namespace {

// Linux 6.6, which Debian 12's headers do not know.
constexpr unsigned long kSetFlags = _IOW(SECCOMP_IOC_MAGIC, 4, std::uint64_t);
constexpr std::uint64_t kSyncWakeUp = 1;

int install(std::span<const sock_filter> program, unsigned flags) noexcept {
  struct ::sock_fprog given{};
  given.len = static_cast<unsigned short>(program.size());
  given.filter = const_cast<sock_filter*>(program.data());  // the kernel copies it, never writes
  return static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &given));
}

/// Who stops or freezes us may meet us waiting for the filter's lock, which the kernel takes
/// interruptibly (kernel/seccomp.c); nothing has happened then.
int ask(int fd, unsigned long request, void* data) noexcept {
  int done = -1;
  do done = ::ioctl(fd, request, data);
  while (done != 0 && errno == EINTR);
  return done;
}

}  // namespace

SysResult<void> install_filter(std::span<const sock_filter> program) noexcept {
  if (install(program, 0) != 0) return fail();
  return {};
}

SysResult<UniqueFd> install_filter_with_listener(std::span<const sock_filter> program,
                                                 bool patient) noexcept {
  constexpr unsigned kWaitKillable = 1U << 5U;  // SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
  int listener = -1;
  if (patient) listener = install(program, SECCOMP_FILTER_FLAG_NEW_LISTENER | kWaitKillable);
  if (listener < 0) listener = install(program, SECCOMP_FILTER_FLAG_NEW_LISTENER);
  if (listener < 0) return fail();
  return UniqueFd(listener);
}

SysResult<SeccompListener> SeccompListener::open(UniqueFd fd) noexcept {
  struct ::seccomp_notif_sizes sizes{};
  if (::syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0U, &sizes) != 0) return fail();
  SeccompListener listener;
  listener.fd_ = std::move(fd);
  listener.request_.resize(std::max<std::size_t>(sizes.seccomp_notif, sizeof(::seccomp_notif)));
  listener.response_.resize(
      std::max<std::size_t>(sizes.seccomp_notif_resp, sizeof(::seccomp_notif_resp)));
  (void)::ioctl(listener.fd(), kSetFlags, kSyncWakeUp);  // only faster
  return listener;
}

SysResult<std::optional<SeccompNotice>> SeccompListener::receive() noexcept {
  std::ranges::fill(request_, std::byte{0});  // else EINVAL
  if (::ioctl(fd(), SECCOMP_IOCTL_NOTIF_RECV, request_.data()) != 0) {
    if (errno == ENOENT || errno == EINTR) return std::nullopt;
    return fail();
  }
  struct ::seccomp_notif raw{};
  std::memcpy(&raw, request_.data(), sizeof raw);
  return SeccompNotice{raw.id, static_cast<pid_t>(raw.pid), raw.data};
}

SysResult<void> SeccompListener::answer(const SeccompNotice& notice, int error,
                                        std::uint32_t flags) noexcept {
  struct ::seccomp_notif_resp raw{};
  raw.id = notice.id;
  raw.error = -error;
  raw.flags = flags;
  std::ranges::fill(response_, std::byte{0});
  std::memcpy(response_.data(), &raw, sizeof raw);
  if (ask(fd(), SECCOMP_IOCTL_NOTIF_SEND, response_.data()) != 0 && errno != ENOENT) return fail();
  return {};
}

SysResult<void> SeccompListener::refuse(const SeccompNotice& notice, int error) noexcept {
  return answer(notice, error, 0);
}

SysResult<void> SeccompListener::let_pass(const SeccompNotice& notice) noexcept {
  return answer(notice, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
}

bool SeccompListener::stands(const SeccompNotice& notice) const noexcept {
  std::uint64_t id = notice.id;
  return ask(fd(), SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

}  // namespace sbx::os
