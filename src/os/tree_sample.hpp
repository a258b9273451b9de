// What a process tree uses, added up from /proc: for hosts that give no cgroup. Approximate,
// because the tree moves while it is read, and slow for large trees; nobody with a cgroup pays for
// it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "os/cpu_time.hpp"
#include "os/tree_clocks.hpp"

namespace sbx::os {

struct ProcessTime {
  std::string pid{};
  std::uint64_t started = 0;  ///< in ticks: another process may get its number
  CpuTime own{};
  CpuTime children{};  ///< those it has waited for, and all that these had waited for
};

struct TreeSample {
  std::uint64_t memory = 0;  ///< bytes: anonymous and shared memory, pages that several map once
  std::vector<ProcessTime> times{};
  int processes = 0;
  TreeClocks clocks{};  ///< of all of them
};

/// nullopt: it is gone.
std::optional<ProcessTime> read_process_time(const std::string& pid);

/// Of `root` (the sandbox's init, which all orphans fall to) and everything below it. Pages are
/// divided among those who map them (smaps_rollup, "Pss") only when counting them once each comes
/// to more than `enough` bytes. ESRCH: `root` is gone, or hidden (hidepid of proc(5)); EPERM,
/// EACCES: it or one of the others is hidden. Another errno: the host has no descriptor or memory
/// for a look (EMFILE, ENFILE, ENOMEM), which must not pass for a tree that uses nothing.
SysResult<TreeSample> sample_tree(pid_t root, std::uint64_t enough);

}  // namespace sbx::os
