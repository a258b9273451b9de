// How many connections and flows may live at once (network.limits.connections). Pure.
#pragma once

#include <cstdint>

namespace sbx::egress {

class Slots {
 public:
  explicit Slots(std::uint32_t most) : most_(most) {}

  /// False: none is free. Whoever took one gives it back.
  [[nodiscard]] bool take() {
    if (taken_ >= most_) return false;
    ++taken_;
    return true;
  }
  void release() { --taken_; }
  [[nodiscard]] std::uint32_t taken() const { return taken_; }

 private:
  std::uint32_t most_;
  std::uint32_t taken_ = 0;
};

}  // namespace sbx::egress
