// The huge pages of this host, which no memory limit counts.
#pragma once

#include <string>
#include <vector>

namespace sbx::os {

/// Their sizes as the cgroup files name them ("64KB", "2MB", "1GB"); empty: the kernel has none.
std::vector<std::string> huge_page_sizes();

/// Whether a process could get one now: some are reserved or may be made on demand.
bool has_huge_pages();

}  // namespace sbx::os
