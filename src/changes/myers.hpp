// The search for the fewest removals and additions between two sequences of numbers, with bounded
// work. Pure.
#pragma once

#include <cstdint>
#include <vector>

namespace sbx::changes {

using Numbers = std::vector<std::uint32_t>;
using Marks =
    std::vector<char>;  ///< 0 or 1 for each number; not vector<bool>, which is slow to set

struct Differences {
  Marks removed;  ///< of `before`
  Marks added;    ///< of `after`
};

/// What is not marked is the same on both sides, number by number. The marks are as few as can be
/// unless the search takes too long: what is not searched by then is marked as a whole. The two
/// sequences have to be shorter than 2^29 together.
Differences find_differences(const Numbers& before, const Numbers& after);

}  // namespace sbx::changes
