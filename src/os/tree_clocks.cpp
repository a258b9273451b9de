#include "os/tree_clocks.hpp"

#include <algorithm>
#include <optional>

namespace sbx::os {
namespace {

constexpr int kTrusted = 8;

/// Of all its threads, the ended ones too. nullopt: it has gone.
std::optional<std::uint64_t> used_ns(::clockid_t clock) {
  ::timespec used{};
  if (::clock_gettime(clock, &used) != 0) return std::nullopt;
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(used.tv_nsec);
}

}  // namespace

void TreeClocks::add(pid_t process) {
  ::clockid_t id = 0;
  const bool known = process > 0 && ::clock_getcpuclockid(process, &id) == 0;
  const auto ns = known ? used_ns(id) : std::nullopt;
  if (ns)
    clocks_.push_back({id, *ns});
  else
    miss();
}

bool TreeClocks::stand_still() {
  if (clocks_.empty() || !complete_ || stood_ == kTrusted) return false;
  const bool stand = std::ranges::all_of(
      clocks_, [](const Clock& clock) { return used_ns(clock.id) == clock.ns; });
  if (stand) ++stood_;
  return stand;
}

}  // namespace sbx::os
