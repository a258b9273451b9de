#include "os/cpuset.hpp"

#include <algorithm>
#include <cerrno>
#include <set>
#include <string_view>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "os/cgroup_file.hpp"

namespace sbx::os {
namespace {

/// "0-3,8"; what is no such list is empty.
std::set<int> parse(std::string_view list) {
  constexpr int kMost = 8192;
  std::set<int> numbers;
  for (const std::string_view range : split(list, ',')) {
    const std::size_t dash = range.find('-');
    const auto first = parse_number<int>(range.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? first : parse_number<int>(range.substr(dash + 1));
    if (!first || !last || *first < 0 || *last >= kMost) return {};
    for (int number = *first; number <= *last; ++number) numbers.insert(number);
  }
  return numbers;
}

}  // namespace

std::string processors_there(int dir_fd, int version) {
  return read_control(dir_fd, version == 1 ? "cpuset.effective_cpus" : "cpuset.cpus.effective");
}

SysResult<void> check_processors(int dir_fd, int version, const std::string& wanted) {
  const std::set<int> there = parse(processors_there(dir_fd, version));
  const std::set<int> asked = parse(wanted);
  if (!there.empty() && std::ranges::includes(asked, there)) return {};
  return std::unexpected(Errno{ERANGE});
}

}  // namespace sbx::os
