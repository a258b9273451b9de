#include "os/many_descriptors.hpp"

#include <time.h>

#include <cerrno>
#include <utility>

namespace sbx::os {

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
    const auto sent = send_descriptors(socket_, fds);
    if (sent) break;
    const int error = sent.error().value;
    if (error == EINTR) continue;
    if (error != ETOOMANYREFS || tries == kTries) return sent;
    ::nanosleep(&kPause, nullptr);
  }
  for (std::size_t i = 0; i < count_; ++i) waiting_[i].reset();
  count_ = 0;
  return {};
}

SysResult<std::vector<UniqueFd>> receive_some(int socket) {
  std::vector<UniqueFd> received(kMaxInMessage);
  received.resize(SBX_TRY(receive_into(socket, received, false)));
  return received;
}

}  // namespace sbx::os
