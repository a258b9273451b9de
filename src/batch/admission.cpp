#include "batch/admission.hpp"

#include <algorithm>

namespace sbx::batch {
namespace {

constexpr double kRounding = 1e-6;  // 0.1 ten times is one core

// Measured (tests/batch/test_memory.py), with some to spare:
constexpr std::uint64_t kProcess = std::uint64_t{1} << 20U;  // of a job, its sandbox with it
constexpr std::uint64_t kLine = 6;       // a byte of a line: read, in the plan, and in the sandbox
constexpr std::uint64_t kCapturing = 2;  // a byte of output: kept, while more comes
constexpr std::uint64_t kTelling = 10;   // and in the result, where it can be six (\u0001)

std::uint64_t sum(std::uint64_t one, std::uint64_t other) {
  return one > kAllMemory - other ? kAllMemory : one + other;
}

std::uint64_t times(std::uint64_t factor, std::uint64_t bytes) {
  return bytes > kAllMemory / factor ? kAllMemory : factor * bytes;
}

}  // namespace

Need need_of(const profile::Limits& limits, std::size_t length) {
  return {limits.memory.value_or(kAllMemory), limits.cpus.value_or(0),
          sum(limits.output.stdout_bytes.value_or(profile::kCaptured),
              limits.output.stderr_bytes.value_or(profile::kCaptured)),
          kProcess + times(kLine, length)};
}

std::uint64_t Admission::rest_of(const Need& need) const {
  return std::min(sum(times(kTelling, need.output), need.held), capacity_.memory);
}

/// The result is made when the command's own memory is free again.
std::uint64_t Admission::memory_of(const Need& need) const {
  const std::uint64_t running = sum(sum(need.memory, times(kCapturing, need.output)), need.held);
  return std::max(std::min(running, capacity_.memory), rest_of(need));
}

bool Admission::fits(const Need& need) const {
  if ((need.ports & ports_) != 0) return false;  // also when nothing else is held any more
  if (live_ == 0 && memory_ == 0) return true;
  return live_ < capacity_.jobs && memory_of(need) <= capacity_.memory - memory_ && cores_fit(need);
}

bool Admission::cores_fit(const Need& need) const {
  const double limited = limited_ + need.cores;
  const auto unlimited = static_cast<double>(unlimited_ + (need.cores == 0 ? 1 : 0));
  const double most = std::max(capacity_.cores, static_cast<double>(capacity_.jobs));
  return (need.cores == 0 || limited <= capacity_.cores + kRounding) &&
         limited + unlimited <= most + kRounding;
}

void Admission::admit(const Need& need) {
  memory_ += memory_of(need);
  limited_ += need.cores;
  if (need.cores == 0) ++unlimited_;
  ports_ |= need.ports;
  ++live_;
}

void Admission::release_place(const Need& need) {
  if (need.cores == 0) --unlimited_;
  // What is left of rounding must not add up over a million jobs.
  limited_ = --live_ == 0 ? 0 : limited_ - need.cores;
}

void Admission::release_memory(const Need& need) { memory_ -= memory_of(need) - rest_of(need); }

void Admission::release_rest(const Need& need) {
  memory_ -= rest_of(need);
  ports_ &= ~need.ports;  // which nobody else has: see fits()
}

}  // namespace sbx::batch
