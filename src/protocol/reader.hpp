// A walk over hostile bytes in network order. Pure. Never past the end: what is not there fails the
// reader, which then yields zeros and nothing more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sbx::protocol {

using Bytes = std::span<const std::uint8_t>;

class Reader {
 public:
  explicit Reader(Bytes bytes) : rest_(bytes) {}

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }

  Bytes take(std::size_t count) {
    if (count > rest_.size()) {
      failed_ = true;
      rest_ = {};
      return {};
    }
    const Bytes taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }
  /// A number of one to four bytes.
  std::uint32_t number(std::size_t width) {
    std::uint32_t value = 0;
    for (const std::uint8_t byte : take(width)) value = value << 8U | byte;
    return value;
  }
  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  /// A vector of TLS: its length in `width` bytes, then that many.
  Bytes vector(std::size_t width) { return take(number(width)); }

 private:
  Bytes rest_;
  bool failed_ = false;
};

}  // namespace sbx::protocol
