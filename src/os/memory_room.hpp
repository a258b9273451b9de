// How much memory there is for runs: the host's, or what our own groups leave of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sbx::os {

struct MemoryRoom {
  std::uint64_t total = 0;      ///< bytes: of the host, or the lowest limit above us
  std::uint64_t available = 0;  ///< of these, what nobody needs right now
};

/// As the kernel tells it now; what cannot be read limits nothing.
MemoryRoom memory_room();

/// The same from the text of /proc/meminfo alone.
MemoryRoom parse_meminfo(std::string_view meminfo);

/// `room`, of which a group with this limit and this use (of which `reclaimable` is only cached)
/// leaves less.
MemoryRoom within(MemoryRoom room, std::uint64_t limit, std::uint64_t used,
                  std::uint64_t reclaimable);

}  // namespace sbx::os
