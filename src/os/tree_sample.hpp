// What a process tree uses, added up from /proc: for hosts that give no cgroup. Approximate,
// because the tree moves while it is read, and slow for large trees; nobody with a cgroup pays for
// it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace sbx::os {

struct TreeSample {
  std::uint64_t memory = 0;  ///< bytes: anonymous and shared memory, pages that several map once
  std::uint64_t cpu_us = 0;  ///< of the living, and of the dead that a living one has waited for
  int processes = 0;
};

/// Of `root` (the sandbox's init, which all orphans fall to) and everything below it. Pages are
/// divided among those who map them (smaps_rollup, "Pss") only when counting them once each comes
/// to more than `enough` bytes. nullopt: `root` is gone.
std::optional<TreeSample> sample_tree(pid_t root, std::uint64_t enough);

}  // namespace sbx::os
