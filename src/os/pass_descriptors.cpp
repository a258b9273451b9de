#include "os/pass_descriptors.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace sbx::os {
namespace {

std::unexpected<Errno> fail() noexcept { return std::unexpected(Errno{errno}); }

constexpr std::size_t kPayload = kMaxPassed * sizeof(int);

}  // namespace

SysResult<void> send_descriptors(int socket, std::span<const int> fds) noexcept {
  if (fds.size() > kMaxPassed) return std::unexpected(Errno{EMFILE});
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
  if (::sendmsg(socket, &message, MSG_NOSIGNAL) != 1) return fail();
  return {};
}

SysResult<std::array<UniqueFd, kMaxPassed>> receive_descriptors(int socket, bool wait) noexcept {
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
  std::array<UniqueFd, kMaxPassed> received;
  const struct ::cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return received;
  const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  for (std::size_t i = 0; i < count && i < kMaxPassed; ++i) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(header) + i * sizeof fd, sizeof fd);
    received[i] = UniqueFd(fd);
  }
  return received;
}

}  // namespace sbx::os
