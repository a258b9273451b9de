// What `sbx learn` sees of a run. Plain data, and all of it the payload's own word.
#pragma once

#include <linux/seccomp.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace sbx::supervise {

/// A call that the policy denies and that was let through, because a profile could allow it.
struct PassedCall {
  seccomp_data call{};
  std::string comm{};  ///< who made it first
};

struct SeenPath {
  std::string comm{};    ///< who named it first
  bool changes = false;  ///< somebody wanted to write there
};

struct Observations {
  std::vector<PassedCall> passed{};
  /// Numbers of calls that went through; those that the policy allows with Learning::tight only.
  std::set<std::uint32_t> allowed{};
  std::map<std::string, SeenPath> paths{};  ///< absolute, as named
  bool incomplete = false;                  ///< there were more paths than anybody would read
};

}  // namespace sbx::supervise
