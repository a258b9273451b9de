#include "os/many_descriptors.hpp"

#include <sys/socket.h>
#include <time.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace sbx::os {
namespace {

constexpr std::size_t kBytes = DescriptorSender::kAtOnce * sizeof(int);

std::unexpected<Errno> fail() noexcept { return std::unexpected(Errno{errno}); }

ssize_t send_message(int socket, std::span<const int> fds) noexcept {
  char byte = 0;
  struct ::iovec data{&byte, 1};
  alignas(struct ::cmsghdr) char control[CMSG_SPACE(kBytes)] = {};
  struct ::msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = CMSG_SPACE(fds.size_bytes());
  struct ::cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(fds.size_bytes());
  std::memcpy(CMSG_DATA(header), fds.data(), fds.size_bytes());
  return ::sendmsg(socket, &message, MSG_NOSIGNAL);
}

}  // namespace

SysResult<void> DescriptorSender::add(SysResult<UniqueFd> made) noexcept {
  if (!made) return std::unexpected(made.error());
  if (count_ == kAtOnce) SBX_CHECK(flush());
  waiting_[count_++] = std::move(*made);
  return {};
}

SysResult<void> DescriptorSender::flush() noexcept {
  constexpr int kTries = 5000;
  constexpr ::timespec kPause{0, 1'000'000};
  if (count_ == 0) return {};
  std::array<int, kAtOnce> numbers{};
  for (std::size_t i = 0; i < count_; ++i) numbers[i] = waiting_[i].get();
  const auto fds = std::span<const int>(numbers).first(count_);
  for (int tries = 0;; ++tries) {
    const ssize_t sent = send_message(socket_, fds);
    if (sent == 1) break;
    const int error = sent < 0 ? errno : EPROTO;
    if (error == EINTR) continue;
    if (error != ETOOMANYREFS || tries == kTries) return std::unexpected(Errno{error});
    ::nanosleep(&kPause, nullptr);
  }
  for (std::size_t i = 0; i < count_; ++i) waiting_[i].reset();
  count_ = 0;
  return {};
}

SysResult<std::vector<UniqueFd>> receive_some(int socket) {
  char byte = 0;
  struct ::iovec data{&byte, 1};
  alignas(struct ::cmsghdr) char control[CMSG_SPACE(kBytes)] = {};
  struct ::msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t size = -1;
  do {
    size = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  } while (size < 0 && errno == EINTR);
  if (size < 0) return fail();
  if (size == 0) return std::unexpected(Errno{EPIPE});
  std::vector<UniqueFd> received;
  const struct ::cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS) {
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    received.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof fd, sizeof fd);
      received.emplace_back(fd);
    }
  }
  if ((message.msg_flags & MSG_CTRUNC) != 0) return std::unexpected(Errno{EMFILE});
  return received;
}

}  // namespace sbx::os
