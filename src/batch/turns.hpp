// In which order the jobs of a batch get their turns. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace sbx::batch {

/// A job that waits: for the first time, or again.
struct Turn {
  std::uint32_t job = 0;
  std::size_t attempts = 0;  ///< that it has had
};

class Turns {
 public:
  /// The jobs that wait for their first turn, in order.
  explicit Turns(std::vector<std::uint32_t> jobs) : jobs_(std::move(jobs)) {}

  /// Whose turn is next; nobody: none waits.
  [[nodiscard]] std::optional<Turn> head() const;
  void drop_head();
  /// There was no room for it: before all others.
  void give_back(const Turn& turn) { returned_.push_back(turn); }
  /// Once more: behind all that wait for the first time.
  void retry(const Turn& turn) { retries_.push_back(turn); }

 private:
  std::vector<std::uint32_t> jobs_;
  std::size_t next_ = 0;  ///< of jobs_
  std::deque<Turn> returned_{};
  std::deque<Turn> retries_{};
};

}  // namespace sbx::batch
