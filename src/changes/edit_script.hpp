// The edits that make one sequence of numbers out of another, as people would want to read them.
// Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "changes/myers.hpp"

namespace sbx::changes {

/// Numbers of `before` that go, and those of `after` that come in their place: [begin, end).
struct Edit {
  std::size_t before_begin = 0;
  std::size_t before_end = 0;
  std::size_t after_begin = 0;
  std::size_t after_end = 0;
  bool operator==(const Edit&) const = default;
};

/// `by` further on, on both sides.
void shift(Edit& edit, std::size_t by);

/// The edits in order, at least one number that stays between any two; few, as find_differences()
/// says. There is a byte of memory for each number up to the largest.
std::vector<Edit> edit_script(const Numbers& before, const Numbers& after);

}  // namespace sbx::changes
