// Processor time of processes, as the kernel adds it up.
#pragma once

#include <sys/resource.h>

#include <cstdint>

namespace sbx::os {

struct CpuTime {
  std::uint64_t user_us = 0, system_us = 0;

  [[nodiscard]] std::uint64_t sum() const noexcept { return user_us + system_us; }
};

CpuTime cpu_time(const struct ::rusage& used) noexcept;
/// Our own so far (getrusage(2)). Async-signal-safe.
CpuTime own_cpu_time() noexcept;
/// Of the children that we have waited for, and of those that they had. Async-signal-safe.
CpuTime reaped_cpu_time() noexcept;

CpuTime plus(const CpuTime& one, const CpuTime& other) noexcept;
/// `all` without `part`, never less than 0. The kernel tells user from system time by samples, of a
/// group other than of its processes: what one kind lacks is taken from the other.
CpuTime minus(const CpuTime& all, const CpuTime& part) noexcept;

}  // namespace sbx::os
