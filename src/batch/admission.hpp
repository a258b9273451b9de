// Which jobs may be live at the same time: the sum of their limits, and of what sbx itself holds
// for them, never exceeds what the host has, and no two want the same port of it. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "profile/profile.hpp"

namespace sbx::batch {

/// What jobs may have together.
struct Capacity {
  std::uint64_t memory = 0;  ///< bytes
  double cores = 1;          ///< of the host
  std::size_t jobs = 1;      ///< -j
  bool said = false;         ///< the memory is what --total-memory says, not what there is
};

/// What one job may take while it lives.
struct Need {
  std::uint64_t memory = 0;  ///< bytes; kAllMemory: without a limit, so all there is
  double cores = 0;          ///< limits.cpus; 0: without a limit, which counts as one core
  std::uint64_t output = 0;  ///< bytes of its output that are kept, at the most
  std::uint64_t held = 0;    ///< bytes that the process of the job holds from its start to its end
  /// Ports of the host that it listens on, a bit for each: of two jobs with a bit in common one
  /// waits for the other.
  std::uint64_t ports = 0;
};

inline constexpr std::uint64_t kAllMemory = ~std::uint64_t{0};

/// limits.memory, limits.cpus, limits.output, and what a line of `length` bytes takes.
Need need_of(const profile::Limits& limits, std::size_t length);

/// What sandboxes that are made ahead may hold together, out of what is left free for sbx itself.
inline constexpr std::uint64_t kMostAhead = std::uint64_t{32} << 20U;

class Admission {
 public:
  explicit Admission(const Capacity& capacity) : capacity_(capacity) {}

  /// The sum of limits.cpus stays within the cores. Jobs without such a limit count as one core
  /// each, and all jobs together may have as many as -j says, if that is more than there are.
  /// A job alone always fits: who needs more than the host has is refused before anything starts,
  /// and who needs more than is free right now gets it when nobody else lives.
  [[nodiscard]] bool fits(const Need& need) const;
  void admit(const Need& need);
  /// Its command has ended; what is left of its processes may hold memory for a moment more.
  void release_place(const Need& need);
  /// Nothing of it lives any more; what it has written is being made its result.
  void release_memory(const Need& need);
  /// Its result has been taken.
  void release_rest(const Need& need);
  [[nodiscard]] std::size_t live() const { return live_; }

 private:
  [[nodiscard]] bool cores_fit(const Need& need) const;
  [[nodiscard]] std::uint64_t memory_of(const Need& need) const;
  [[nodiscard]] std::uint64_t rest_of(const Need& need) const;

  Capacity capacity_;
  std::uint64_t memory_ = 0;
  double limited_ = 0;         ///< cores, by limits.cpus
  std::size_t unlimited_ = 0;  ///< jobs without
  std::uint64_t ports_ = 0;    ///< that live jobs listen on
  std::size_t live_ = 0;
};

}  // namespace sbx::batch
