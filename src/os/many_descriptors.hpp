// More descriptors across processes than one message carries.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "os/fd.hpp"
#include "os/pass_descriptors.hpp"

namespace sbx::os {

/// Gathers descriptors and sends them, some in a message, so that the sender never has many open.
/// Allocation-free.
class DescriptorSender {
 public:
  static constexpr std::size_t kAtOnce = kMaxInMessage;

  explicit DescriptorSender(int socket) noexcept : socket_(socket) {}
  /// Takes it over; who has none passes its error on.
  SysResult<void> add(SysResult<UniqueFd> made) noexcept;
  /// Sends what is left. Nothing is sent by itself at the end.
  SysResult<void> flush() noexcept;

 private:
  int socket_;
  std::size_t count_ = 0;
  std::array<UniqueFd, kAtOnce> waiting_{};
};

/// What has arrived of that, one message, without waiting for it (EAGAIN). EMFILE: they did not all
/// find a place.
SysResult<std::vector<UniqueFd>> receive_some(int socket);

}  // namespace sbx::os
