#include "os/cpu_time.hpp"

#include <algorithm>

namespace sbx::os {
namespace {

std::uint64_t to_us(const ::timeval& time) noexcept {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 +
         static_cast<std::uint64_t>(time.tv_usec);
}

CpuTime used_by(__rusage_who who) noexcept {
  struct ::rusage used{};
  static_cast<void>(::getrusage(who, &used));  // cannot fail: two words that exist
  return cpu_time(used);
}

}  // namespace

CpuTime cpu_time(const struct ::rusage& used) noexcept {
  return {to_us(used.ru_utime), to_us(used.ru_stime)};
}

CpuTime own_cpu_time() noexcept { return used_by(RUSAGE_SELF); }

CpuTime reaped_cpu_time() noexcept { return used_by(RUSAGE_CHILDREN); }

CpuTime plus(const CpuTime& one, const CpuTime& other) noexcept {
  return {one.user_us + other.user_us, one.system_us + other.system_us};
}

CpuTime minus(const CpuTime& all, const CpuTime& part) noexcept {
  const std::uint64_t left = all.sum() - std::min(all.sum(), part.sum());
  const std::uint64_t user = std::min(left, all.user_us - std::min(all.user_us, part.user_us));
  return {user, left - user};
}

}  // namespace sbx::os
