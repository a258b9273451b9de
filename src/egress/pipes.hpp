// Pipes that bytes pass through from one socket to another without being copied (splice(2)): lent
// while a connection has much to carry, and few.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "os/pipe.hpp"

namespace sbx::egress {

inline constexpr std::size_t kPipeBytes = std::size_t{256} * 1024;

class Pipes {
 public:
  /// nullopt: all are lent; what is to be carried has to be copied.
  std::optional<os::Pipe> borrow();
  /// `empty`: nothing is left in it, so that somebody else may have it.
  void give_back(os::Pipe pipe, bool empty);
  /// For bytes that are read and written in one go; nobody's in between.
  [[nodiscard]] std::array<char, 65536>& scratch() { return scratch_; }

 private:
  static constexpr std::size_t kMostLent = 96;
  static constexpr std::size_t kMostIdle = 8;

  std::vector<os::Pipe> idle_{};
  std::size_t lent_ = 0;
  std::array<char, 65536> scratch_{};
};

}  // namespace sbx::egress
