#include "os/pass_descriptors.hpp"

#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace sbx::os {
namespace {

std::unexpected<Errno> fail() noexcept { return std::unexpected(pair_error(errno)); }

constexpr std::size_t kPayload = kMaxInMessage * sizeof(int);

/// While it lives our hard limit on open files is in force, which is above that of a payload
/// (limits.rlimits.nofile) on any usual host: none that sends without anybody who receives keeps
/// other runs of its user from starting.
class HardLimit {
 public:
  HardLimit() noexcept {
    if (::getrlimit(RLIMIT_NOFILE, &own_) != 0) return;
    const ::rlimit most{own_.rlim_max, own_.rlim_max};
    raised_ = ::setrlimit(RLIMIT_NOFILE, &most) == 0;
  }
  HardLimit(const HardLimit&) = delete;
  HardLimit& operator=(const HardLimit&) = delete;
  ~HardLimit() {
    if (raised_) (void)::setrlimit(RLIMIT_NOFILE, &own_);  // cannot fail: it is lowered
  }

 private:
  ::rlimit own_{};
  bool raised_ = false;
};

SysResult<void> send(int socket, const ::msghdr& message) noexcept {
  for (;;) {
    const ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent == 1) return {};
    if (sent >= 0) return std::unexpected(Errno{EPROTO});
    if (errno != EINTR) return fail();
  }
}

bool has_no_room(const SysResult<void>& sent) noexcept {
  return !sent && sent.error().value == ETOOMANYREFS;
}

SysResult<void> send_asleep(int socket, const ::msghdr& message) noexcept {
  constexpr int kTries = 5'000;
  constexpr ::timespec kPause{0, 1'000'000};
  const HardLimit limit;
  SysResult<void> sent = send(socket, message);
  for (int tries = 0; has_no_room(sent) && tries < kTries; ++tries) {
    (void)::nanosleep(&kPause, nullptr);
    sent = send(socket, message);
  }
  return sent;
}

SysResult<void> send_awake(int socket, const ::msghdr& message) noexcept {
  constexpr int kTries = 50'000;
  SysResult<void> sent = send(socket, message);
  for (int tries = 0; has_no_room(sent) && tries < kTries; ++tries) sent = send(socket, message);
  return sent;
}

}  // namespace

SysResult<void> send_descriptors(int socket, std::span<const int> fds, WaitForRoom wait) noexcept {
  if (fds.size() > kMaxInMessage) return std::unexpected(Errno{EMFILE});
  char byte = 0;
  struct ::iovec data{&byte, 1};
  alignas(struct ::cmsghdr) char control[CMSG_SPACE(kPayload)] = {};
  struct ::msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  if (!fds.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(fds.size_bytes());
    struct ::cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(fds.size_bytes());
    std::memcpy(CMSG_DATA(header), fds.data(), fds.size_bytes());
  }
  const SysResult<void> sent = send(socket, message);
  if (!has_no_room(sent)) return sent;
  return wait == WaitForRoom::asleep ? send_asleep(socket, message) : send_awake(socket, message);
}

SysResult<std::size_t> receive_into(int socket, std::span<UniqueFd> places, bool wait) noexcept {
  char byte = 0;
  struct ::iovec data{&byte, 1};
  alignas(struct ::cmsghdr) char control[CMSG_SPACE(kPayload)] = {};
  struct ::msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t size = -1;
  do {
    size = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
  } while (size < 0 && errno == EINTR);
  if (size < 0) return fail();
  if (size == 0) return std::unexpected(Errno{kPeerGone});
  const struct ::cmsghdr* header = CMSG_FIRSTHDR(&message);
  const bool some = header != nullptr && header->cmsg_type == SCM_RIGHTS;
  const std::size_t count = some ? (header->cmsg_len - CMSG_LEN(0)) / sizeof(int) : 0;
  for (std::size_t i = 0; i < count; ++i) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(header) + i * sizeof fd, sizeof fd);
    UniqueFd received(fd);
    if (i < places.size()) places[i] = std::move(received);
  }
  if ((message.msg_flags & MSG_CTRUNC) != 0) return std::unexpected(Errno{EMFILE});
  return std::min(count, places.size());
}

SysResult<std::array<UniqueFd, kMaxPassed>> receive_descriptors(int socket, bool wait) noexcept {
  std::array<UniqueFd, kMaxPassed> received;
  SBX_CHECK(receive_into(socket, received, wait));
  return received;
}

}  // namespace sbx::os
