// How many connections and flows may live at once (network.limits.connections). Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

namespace sbx::egress {

class Slots {
 public:
  /// Gives back one or more that nobody seems to need. False: there is none.
  using Spare = std::function<bool()>;

  explicit Slots(std::uint32_t most) : most_(most) {}

  /// Is asked when none is free.
  void spare_with(Spare spare) { spare_ = std::move(spare); }
  /// False: none is free. Whoever took one gives it back.
  [[nodiscard]] bool take() {
    if (taken_ >= most_ && !(spare_ && spare_())) return false;
    ++taken_;
    return true;
  }
  void release() { --taken_; }
  [[nodiscard]] std::uint32_t taken() const { return taken_; }

 private:
  std::uint32_t most_;
  std::uint32_t taken_ = 0;
  Spare spare_{};
};

}  // namespace sbx::egress
