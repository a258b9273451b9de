// Diffs of lines: what they look like, that they make one text out of the other, that they are
// short, and that no text takes long.
#include "changes/line_diff.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "changes/line_numbers.hpp"
#include "changes_patch.hpp"

using sbx::changes::line_counts;
using sbx::changes::LineCounts;
using sbx::changes::unified_hunks;

namespace {

std::string hunks(const std::string& before, const std::string& after, int context = 3) {
  return unified_hunks(before, after, context).value_or("none");
}

std::string numbers(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) text += std::to_string(i) + "\n";
  return text;
}

/// The fewest lines that have to go and come, by the table that everyone knows.
std::uint64_t fewest_edits(const std::string& before, const std::string& after) {
  const auto a = patch_lines(before);
  const auto b = patch_lines(after);
  std::vector<std::vector<std::uint64_t>> longest(a.size() + 1,
                                                  std::vector<std::uint64_t>(b.size() + 1));
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j)
      longest[i][j] = a[i - 1] == b[j - 1] ? longest[i - 1][j - 1] + 1
                                           : std::max(longest[i - 1][j], longest[i][j - 1]);
  return a.size() + b.size() - 2 * longest[a.size()][b.size()];
}

class Texts {
 public:
  explicit Texts(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t end) { return random_() % end; }

  /// Few different lines, some that end as in Windows, some empty; the last often without a
  /// newline.
  std::string any() {
    std::string text;
    const std::size_t kinds = 1 + below(6);
    for (std::size_t left = below(30); left > 0; --left) {
      if (below(6) > 0) text += static_cast<char>('a' + below(kinds));
      if (below(8) == 0) text += '\r';
      text += '\n';
    }
    if (below(3) == 0) text = text.substr(0, text.size() - std::min<std::size_t>(text.size(), 1));
    return text;
  }

  std::string near(std::string text) {
    for (std::size_t left = below(4); left > 0; --left) {
      const std::size_t place = below(text.size() + 1);
      if (below(2) == 0)
        text.insert(place, below(2) == 0 ? "x\n" : "\n");
      else
        text.erase(place, 1 + below(5));
    }
    return text;
  }

 private:
  std::mt19937 random_;
};

}  // namespace

TEST_CASE("hunks as diff -u prints them") {
  CHECK_FALSE(unified_hunks("a\n", "a\n"));
  CHECK_FALSE(unified_hunks("", ""));
  CHECK(hunks("", "a\n") == "@@ -0,0 +1 @@\n+a\n");
  CHECK(hunks("a\nb\n", "") == "@@ -1,2 +0,0 @@\n-a\n-b\n");
  CHECK(hunks("a\n", "b\n") == "@@ -1 +1 @@\n-a\n+b\n");
  CHECK(hunks(numbers(1, 9), numbers(1, 4) + "x\n" + numbers(6, 9)) ==
        "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n");
  CHECK(hunks("a\nb\nc\n", "a\nc\n", 0) == "@@ -2 +1,0 @@\n-b\n");
}

TEST_CASE("a last line without a newline is another one") {
  const std::string none = "\\ No newline at end of file\n";
  CHECK(hunks("a\nb", "a\nb\n") == "@@ -1,2 +1,2 @@\n a\n-b\n" + none + "+b\n");
  CHECK(hunks("a\nb", "x\nb") == "@@ -1,2 +1,2 @@\n-a\n+x\n b\n" + none);
  CHECK(hunks("a", "b") == "@@ -1 +1 @@\n-a\n" + none + "+b\n" + none);
  CHECK(hunks("a\r\n", "a\n") == "@@ -1 +1 @@\n-a\r\n+a\n");
}

TEST_CASE("edits are one hunk until their contexts lie apart") {
  const std::string before = numbers(1, 20);
  const std::string near = "x\n" + numbers(1, 6) + "y\n" + numbers(7, 20);
  const std::string far = "x\n" + numbers(1, 7) + "y\n" + numbers(8, 20);
  CHECK(std::ranges::count(hunks(before, near), '@') == 4);
  CHECK(std::ranges::count(hunks(before, far), '@') == 8);
}

TEST_CASE("of equal lines the last ones are new") {
  const std::string one = "f() {\n}\n\n";
  CHECK(hunks(one + "end\n", one + one + "end\n") ==
        "@@ -1,4 +1,7 @@\n f() {\n }\n \n+f() {\n+}\n+\n end\n");
  CHECK(hunks("x\na\na\ny\n", "X\na\na\na\nY\n", 0) ==
        "@@ -1 +1 @@\n-x\n+X\n@@ -4 +4,2 @@\n-y\n+a\n+Y\n");
}

TEST_CASE("random texts: the diff applies both ways and is as short as can be") {
  for (unsigned seed = 0; seed < 4000; ++seed) {
    Texts texts(seed);
    const std::string before = texts.any();
    const std::string after = texts.below(2) == 0 ? texts.any() : texts.near(before);
    const int context = static_cast<int>(texts.below(5));
    CAPTURE(before);
    CAPTURE(after);
    const auto found = unified_hunks(before, after, context);
    REQUIRE(found.has_value() == (before != after));
    if (!found) continue;
    CAPTURE(*found);
    CHECK(patched(before, *found) == after);
    const LineCounts counts = line_counts(before, after);
    CHECK(counts == counted(*found));
    CHECK(counts.added + counts.removed == fewest_edits(before, after));
  }
}

// A fifth of it is usual; what is slow takes minutes.
#ifdef __SANITIZE_ADDRESS__
constexpr std::clock_t kMostSeconds = 50;
#else
constexpr std::clock_t kMostSeconds = 5;
#endif

TEST_CASE("texts that are made to be slow are not, and the diff is still right") {
  std::mt19937 random(1);
  const auto lines = [&](std::size_t count, unsigned kinds) {
    std::string text;
    while (count-- > 0) text += std::to_string(random() % kinds) + "\n";
    return text;
  };
  std::vector<std::pair<std::string, std::string>> pairs;
  pairs.emplace_back(lines(200000, 2), lines(200000, 2));
  pairs.emplace_back(lines(200000, 1000), lines(200000, 1000));
  pairs.emplace_back("x\n" + std::string(3000000, '\n') + "y", "z\n" + std::string(3000001, '\n'));
  pairs.emplace_back(std::string(4000000, 'a'), std::string(4000000, 'a') + "b");
  pairs.emplace_back(lines(200000, 2), lines(3, 2));
  for (const auto& [before, after] : pairs) {
    const std::clock_t start = std::clock();  // of this process, whatever else the machine does
    const auto found = unified_hunks(before, after);
    CHECK((std::clock() - start) / CLOCKS_PER_SEC < kMostSeconds);
    REQUIRE(found);
    CHECK((patched(before, *found) == after));
  }
}

TEST_CASE("lines that were chosen to have one hash end the search, not the diff") {
  // As many lines as fill a quarter of a table, all of which want the same slot of it.
  constexpr std::size_t kLines = 500;
  constexpr std::size_t kSlots = 2048;
  std::string after;
  std::vector<std::string> kept;
  for (std::size_t i = 0; kept.size() < kLines; ++i) {
    const std::string line = std::to_string(i) + "\n";
    if (std::hash<std::string_view>{}(line) % kSlots == 0) kept.push_back(line);
  }
  CHECK_FALSE(sbx::changes::number_lines({kept.begin(), kept.end()}));
  for (const std::string& line : kept) after += line;
  const std::string before = "x\n" + kept.front() + "y\n";
  const auto found = unified_hunks(before, after);
  REQUIRE(found);
  CHECK((patched(before, *found) == after));
}
