// What `sbx learn` sees of a run. Plain data, and all of it the payload's own word.
#pragma once

#include <linux/seccomp.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace sbx::supervise {

/// A call that the policy's list lacks and that a profile can add to it.
struct NeededCall {
  seccomp_data call{};
  std::string comm{};  ///< who made it first
  bool given = false;  ///< it was let through
};

struct SeenPath {
  std::string comm{};    ///< who named it first
  bool changes = false;  ///< somebody wanted to write there
};

struct Observations {
  std::vector<NeededCall> needed{};
  /// Numbers of calls that went through; those that the policy allows with Learning::tight only.
  std::set<std::uint32_t> allowed{};
  std::map<std::string, SeenPath> paths{};  ///< absolute, as named
  bool incomplete = false;                  ///< there were more paths than anybody would read
};

}  // namespace sbx::supervise
