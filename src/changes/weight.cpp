#include "changes/weight.hpp"

#include <cerrno>

namespace sbx::changes {
namespace {

/// A path can be longer than any program can name (PATH_MAX is for one call), and names in a deep
/// folder cost their whole path each.
constexpr std::size_t kLongestPath = 64U << 10U;
constexpr std::size_t kHeaviest = 128U << 20U;
constexpr std::size_t kEach = 256;

std::size_t weight_of(const Entry& entry) {
  std::size_t weight = entry.target.size();
  for (const Attribute& attribute : entry.attributes)
    weight += 2 * (attribute.name.size() + attribute.value.size());
  return weight;
}

}  // namespace

SysResult<void> Weight::add(const Change& change) {
  return add(change.path, weight_of(change.before) + weight_of(change.after));
}

SysResult<void> Weight::add(const Omission& omission) {
  return add(omission.path, omission.why.size());
}

SysResult<void> Weight::add(const std::string& path, std::size_t rest) {
  sum_ += kEach + path.size() + rest;
  if (path.size() > kLongestPath || sum_ > kHeaviest) return std::unexpected(Errno{E2BIG});
  return {};
}

}  // namespace sbx::changes
