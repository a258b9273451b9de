// What is not wanted any more goes: runs whose time is over, then as many of the oldest as a bound
// asks for, then every content that no run has.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "artifacts/store.hpp"
#include "base/error.hpp"

namespace sbx::artifacts {

struct Rubbish {
  Time now{};
  std::optional<std::chrono::milliseconds> older_than{};  ///< also runs that ended before that
  std::optional<std::uint64_t> max_bytes{};  ///< also the oldest, until the contents fit into this
  bool only_say = false;                     ///< change nothing
};

struct Removed {
  std::vector<Run> runs{};
  std::uint64_t contents = 0;
  std::uint64_t bytes = 0;       ///< of them
  std::uint64_t left_bytes = 0;  ///< of what is still kept
};

/// `store` is locked for a change: no run is naming what it has copied meanwhile.
Result<Removed> collect_garbage(Opened& store, const Rubbish& rubbish);

struct Damage {
  std::string digest{};
  bool missing = false;  ///< else it is not what it was
  std::vector<Kept> kept{};
};
/// Reads every content that a run has, and says which are damaged. Nobody waits for it meanwhile.
Result<std::vector<Damage>> find_damage(const Store& store);

}  // namespace sbx::artifacts
