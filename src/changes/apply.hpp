// Brings kept changes into the workspace they were made for: all that are wanted or none, when the
// host's side is not what it was; each file at once or not at all; and again, after whatever
// interrupted it, from where it was.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "changes/change.hpp"
#include "changes/store.hpp"

namespace sbx::changes {

/// Why a change cannot be applied; nothing has been then.
struct Conflict {
  std::string path;
  std::string why;
};

struct Applied {
  std::uint64_t done = 0;     ///< changes made now
  std::uint64_t already = 0;  ///< that the workspace had
  std::vector<Conflict> conflicts;
};

/// The indices of the changes that `paths` (relative to the workspace, or below it) name, with all
/// below them and the new folders above them; all, when there are none. Error: a path that names
/// none.
Result<std::vector<std::size_t>> select(const ChangeSet& set, std::span<const std::string> paths);

/// The hint of what fails in the middle.
inline constexpr std::string_view kGoesOn =
    "what is done is done; the same command goes on from here";

/// `workspace`: the folder, open for reading.
Result<Applied> apply(const KeptRun& kept, const ChangeSet& set, int workspace,
                      std::span<const std::size_t> wanted);

}  // namespace sbx::changes
