#include "changes/descent.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "base/fail.hpp"
#include "os/folder.hpp"

namespace sbx::changes {
namespace {

/// In one folder: a change set has fewer, and who made them had them for little.
constexpr std::size_t kMostNames = 1'000'000;
constexpr std::size_t kHeldOpen = 8;  ///< levels, of two descriptors; a caller may have few

SysResult<::ino_t> node_of(int fd) {
  struct ::stat what{};
  if (::fstat(fd, &what) != 0) return fail();
  return what.st_ino;
}

SysResult<void> open_above(const os::UniqueFd& below, os::UniqueFd& above, ::ino_t node) {
  if (above.valid()) return {};
  above = os::UniqueFd(::openat(below.get(), "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!above.valid()) return fail();
  if (SBX_TRY(node_of(above.get())) != node) return std::unexpected(Errno{ESTALE});
  return {};
}

}  // namespace

std::string Level::path_of(const std::string& name) const {
  return path.empty() ? name : path + "/" + name;
}

SysResult<void> Descent::enter(Level level) {
  level.has_upper = level.upper.valid();
  level.has_lower = level.lower.valid();
  if (level.has_upper) {
    level.upper_node = SBX_TRY(node_of(level.upper.get()));
    level.names = SBX_TRY(os::list_names(level.upper.get(), kMostNames));
  }
  if (level.has_lower) level.lower_node = SBX_TRY(node_of(level.lower.get()));
  if (level.has_lower && level.hides) {
    // ENOENT: the host has removed it while we hold it open, and nothing is in it.
    const auto listed = os::list_names(level.lower.get(), kMostNames);
    if (!listed && listed.error().value != ENOENT) return std::unexpected(listed.error());
    const auto below = listed.value_or(std::vector<std::string>{});
    std::vector<std::string> both;
    std::ranges::set_union(level.names, below, std::back_inserter(both));
    level.names = std::move(both);
  }
  levels_.push_back(std::move(level));
  if (levels_.size() > kHeldOpen) {
    // Never the top: above it is what is not ours. And never a side that ends there.
    const std::size_t far = levels_.size() - kHeldOpen;
    if (levels_[far + 1].has_upper) levels_[far].upper.reset();
    if (levels_[far + 1].has_lower) levels_[far].lower.reset();
  }
  return {};
}

SysResult<bool> Descent::leave() {
  const Level below = std::move(levels_.back());
  levels_.pop_back();
  if (levels_.empty()) return true;
  Level& above = levels_.back();
  if (above.has_upper && below.has_upper)
    SBX_CHECK(open_above(below.upper, above.upper, above.upper_node));
  if (!above.has_lower || !below.has_lower) return true;
  if (open_above(below.lower, above.lower, above.lower_node)) return true;
  above.lower.reset();
  return false;
}

}  // namespace sbx::changes
