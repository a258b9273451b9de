// What differs between two texts, line by line, as a unified diff. Time and memory are bounded
// whatever the texts are, so that a command cannot stall who looks at what it did. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sbx::changes {

struct LineCounts {
  std::uint64_t added = 0;
  std::uint64_t removed = 0;
  bool operator==(const LineCounts&) const = default;
};

/// The hunks of `diff -u`, "@@ -1,3 +1,4 @@" and lines, without the names of the files; nothing
/// when the texts are the same. patch(1) and `git apply` make `after` out of `before` with it. It
/// is as short as can be unless the texts differ too much to find out: then it replaces more than
/// it has to.
std::optional<std::string> unified_hunks(std::string_view before, std::string_view after,
                                         int context = 3);

/// How many lines begin with + and - in unified_hunks().
LineCounts line_counts(std::string_view before, std::string_view after);

}  // namespace sbx::changes
