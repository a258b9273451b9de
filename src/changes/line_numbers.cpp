#include "changes/line_numbers.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace sbx::changes {
namespace {

/// Where a line that is not the first of its kind finds that one.
struct Slot {
  std::uint32_t line = 0;  ///< counted from 1; 0: free
  std::uint32_t hash = 0;  ///< a part of it that did not choose the slot
};

}  // namespace

std::optional<Numbers> number_lines(const std::vector<std::string_view>& lines) {
  // Open addressing, at most half full: two steps for a line as a rule. The hash has no secret, so
  // whoever writes the lines can make all of them fall on one slot, and the steps are counted.
  constexpr std::size_t kMostStepsForEach = 16;
  std::vector<Slot> slots(std::bit_ceil(2 * lines.size() + 1));
  Numbers numbers(lines.size());
  std::size_t steps_left = kMostStepsForEach * lines.size();
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::uint64_t hash = std::hash<std::string_view>{}(lines[i]);
    const auto rest = static_cast<std::uint32_t>(hash >> 32U);
    std::size_t place = hash & (slots.size() - 1);
    const auto is_other = [&](const Slot& slot) {
      return slot.line != 0 && (slot.hash != rest || lines[slot.line - 1] != lines[i]);
    };
    while (is_other(slots[place])) {
      if (steps_left-- == 0) return std::nullopt;
      place = (place + 1) & (slots.size() - 1);
    }
    Slot& slot = slots[place];
    if (slot.line == 0) {
      slot = {static_cast<std::uint32_t>(i + 1), rest};
      numbers[i] = next++;
    } else {
      numbers[i] = numbers[slot.line - 1];
    }
  }
  return numbers;
}

}  // namespace sbx::changes
