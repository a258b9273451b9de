// The huge pages of this host, which no memory limit counts.
#pragma once

#include <string>
#include <vector>

namespace sbx::os {

/// Their sizes as the cgroup files name them ("64KB", "2MB", "1GB"); empty: the kernel has none, or
/// we cannot see them.
std::vector<std::string> huge_page_sizes();

/// Whether a process could get one now: some are reserved or may be made on demand, or nobody lets
/// us see.
bool has_huge_pages();

}  // namespace sbx::os
