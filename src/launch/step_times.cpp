#include "launch/step_times.hpp"

#include <sys/mman.h>
#include <time.h>

#include <memory>
#include <span>

namespace sbx::launch {

std::uint64_t monotonic_ns() noexcept {
  struct ::timespec now{};
  static_cast<void>(::clock_gettime(CLOCK_MONOTONIC, &now));  // cannot fail: a clock that exists
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

StepTimes::~StepTimes() {
  if (times_ != nullptr) ::munmap(times_, count_ * sizeof(StepTime));
}

bool StepTimes::map(std::size_t steps) {
  const std::size_t count = steps + 1;
  void* memory = ::mmap(nullptr, count * sizeof(StepTime), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  times_ = static_cast<StepTime*>(memory);
  count_ = count;
  std::uninitialized_value_construct_n(times_, count);
  return true;
}

std::vector<StepSpan> StepTimes::read() const {
  std::vector<StepSpan> spans;
  spans.reserve(count_);
  for (const StepTime& time : std::span(times_, count_))
    spans.push_back({time.start_ns.load(), time.end_ns.load(), time.error.load()});
  return spans;
}

}  // namespace sbx::launch
