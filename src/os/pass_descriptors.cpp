#include "os/pass_descriptors.hpp"

#include <sys/socket.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace sbx::os {
namespace {

std::unexpected<Errno> fail() noexcept { return std::unexpected(Errno{errno}); }

constexpr std::size_t kPayload = kMaxInMessage * sizeof(int);

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
  constexpr ::timespec kPause{0, 1'000'000};
  for (int tries = wait == WaitForRoom::asleep ? 5'000 : 50'000;;) {
    const ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent == 1) return {};
    if (sent >= 0) return std::unexpected(Errno{EPROTO});
    if (errno == EINTR) continue;
    if (errno != ETOOMANYREFS || --tries == 0) return fail();
    if (wait == WaitForRoom::asleep) (void)::nanosleep(&kPause, nullptr);
  }
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
  if (size == 0) return std::unexpected(Errno{EPIPE});
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
