#include "os/many_descriptors.hpp"

#include <utility>

namespace sbx::os {

SysResult<void> DescriptorSender::add(SysResult<UniqueFd> made) noexcept {
  if (!made) return std::unexpected(made.error());
  if (count_ == kAtOnce) SBX_CHECK(flush());
  waiting_[count_++] = std::move(*made);
  return {};
}

SysResult<void> DescriptorSender::flush() noexcept {
  if (count_ == 0) return {};
  std::array<int, kAtOnce> numbers{};
  for (std::size_t i = 0; i < count_; ++i) numbers[i] = waiting_[i].get();
  SBX_CHECK(send_descriptors(socket_, std::span<const int>(numbers).first(count_)));
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
