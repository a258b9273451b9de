#include "changes/edit_script.hpp"

#include <algorithm>

namespace sbx::changes {
namespace {

/// The numbers that the other side has too, and where they stand. All others have to go or come
/// whatever else does, and without them the search is much shorter.
struct Shared {
  Numbers numbers;
  std::vector<std::size_t> places;

  Shared(const Numbers& all, const Marks& in_other) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i] >= in_other.size() || in_other[all[i]] == 0) continue;
      numbers.push_back(all[i]);
      places.push_back(i);
    }
  }
};

Marks presence(const Numbers& numbers) {
  Marks present(numbers.empty() ? 0 : std::size_t{*std::ranges::max_element(numbers)} + 1);
  for (const std::uint32_t number : numbers) present[number] = 1;
  return present;
}

/// The marks of the shared numbers in their places, all others marked.
Marks spread(const Marks& marks, const Shared& shared, std::size_t size) {
  Marks all(size, 1);
  for (std::size_t i = 0; i < marks.size(); ++i) all[shared.places[i]] = marks[i];
  return all;
}

std::vector<Edit> collect(const Marks& removed, const Marks& added) {
  std::vector<Edit> edits;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < removed.size() || j < added.size()) {
    Edit edit{i, i, j, j};
    while (i < removed.size() && removed[i] != 0) edit.before_end = ++i;
    while (j < added.size() && added[j] != 0) edit.after_end = ++j;
    if (edit.before_begin != i || edit.after_begin != j) edits.push_back(edit);
    ++i;  // what is not marked stands on both sides
    ++j;
  }
  return edits;
}

/// In a row of equal lines it is the same which of them went; diff(1) and git say the last, and a
/// function that was added then begins with its first line and not with the end of the one before.
/// Edits that come to touch become one.
std::vector<Edit> slide_down(std::vector<Edit> edits, const Numbers& before, const Numbers& after) {
  std::vector<Edit> slid;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    Edit edit = edits[i];
    const bool removal = edit.after_begin == edit.after_end;
    const bool addition = edit.before_begin == edit.before_end;
    const bool is_last = i + 1 == edits.size();
    const std::size_t limit = is_last ? before.size() : edits[i + 1].before_begin;
    while (edit.before_end < limit &&
           ((removal && before[edit.before_begin] == before[edit.before_end]) ||
            (addition && after[edit.after_begin] == after[edit.after_end]))) {
      shift(edit, 1);
    }
    if (!is_last && edit.before_end == limit) {
      edits[i + 1].before_begin = edit.before_begin;
      edits[i + 1].after_begin = edit.after_begin;
    } else {
      slid.push_back(edit);
    }
  }
  return slid;
}

}  // namespace

void shift(Edit& edit, std::size_t by) {
  edit.before_begin += by;
  edit.before_end += by;
  edit.after_begin += by;
  edit.after_end += by;
}

std::vector<Edit> edit_script(const Numbers& before, const Numbers& after) {
  const Shared stays(before, presence(after));
  const Shared stood(after, presence(before));
  const Differences shared = find_differences(stays.numbers, stood.numbers);
  return slide_down(collect(spread(shared.removed, stays, before.size()),
                            spread(shared.added, stood, after.size())),
                    before, after);
}

}  // namespace sbx::changes
