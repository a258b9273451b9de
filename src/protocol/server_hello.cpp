#include "protocol/server_hello.hpp"

#include <algorithm>
#include <array>

namespace sbx::protocol {
namespace {

constexpr std::uint8_t kAlert = 21;
constexpr std::uint8_t kHandshake = 22;
constexpr std::uint8_t kServerHello = 2;
constexpr std::size_t kRecordHead = 5;
constexpr std::size_t kAlertSize = 2;
constexpr std::size_t kRandomAt = 4 + 2;  // behind the message's head and the version

/// RFC 8446 4.1.3: a ServerHello with this in place of a random number is a HelloRetryRequest.
constexpr std::array<std::uint8_t, 32> kRetry{
    0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91,
    0xC2, 0xA2, 0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C};

}  // namespace

Again asks_for_another_hello(std::span<const std::uint8_t> start) {
  // A warning may come first (RFC 6066 3: unrecognized_name).
  if (start.size() >= kRecordHead + kAlertSize && start[0] == kAlert)
    start = start.subspan(kRecordHead + kAlertSize);
  if (start.size() < kRecordHead + 1 || start[0] != kHandshake) return Again::no;
  const std::size_t record = static_cast<std::size_t>(start[3]) << 8U | start[4];
  const auto message = start.subspan(kRecordHead);
  if (message[0] != kServerHello) return Again::no;
  if (record < kRandomAt + kRetry.size() || message.size() < kRandomAt + kRetry.size())
    return Again::unclear;
  return std::ranges::equal(message.subspan(kRandomAt, kRetry.size()), kRetry) ? Again::yes
                                                                               : Again::no;
}

}  // namespace sbx::protocol
