#include "changes/file_time.hpp"

#include <limits>

namespace sbx::changes {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

}  // namespace

std::int64_t nanoseconds(const ::timespec& time) {
  using Limits = std::numeric_limits<std::int64_t>;
  std::int64_t sum = 0;
  if (__builtin_mul_overflow(time.tv_sec, kSecond, &sum) ||
      __builtin_add_overflow(sum, time.tv_nsec, &sum))
    return time.tv_sec < 0 ? Limits::min() : Limits::max();
  return sum;
}

::timespec time_of(std::int64_t nanoseconds) {
  std::int64_t seconds = nanoseconds / kSecond;
  std::int64_t rest = nanoseconds % kSecond;
  if (rest < 0) {  // towards zero in C++, downwards in a timespec
    rest += kSecond;
    --seconds;
  }
  return {.tv_sec = seconds, .tv_nsec = rest};
}

}  // namespace sbx::changes
