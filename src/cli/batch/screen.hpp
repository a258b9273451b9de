// The one line on a terminal that shows how far a batch is.
#pragma once

#include <chrono>
#include <optional>

#include "cli/batch/progress.hpp"

namespace sbx::cli::batch {

class Screen {
 public:
  using Clock = std::chrono::steady_clock;

  /// `shown`: somebody wants to see it; it is painted on terminals only that can go back on a line.
  explicit Screen(bool shown);
  ~Screen() { clear(); }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  Screen(Screen&&) = delete;
  Screen& operator=(Screen&&) = delete;

  /// When the next paint() will do something; nothing: never.
  [[nodiscard]] std::optional<Clock::time_point> due() const;
  void paint(const Tally& tally, Clock::time_point now);
  /// The line is gone, and somebody else may write.
  void clear();

 private:
  bool shown_;
  bool painted_ = false;
  Clock::time_point due_{};
};

}  // namespace sbx::cli::batch
