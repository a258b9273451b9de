// A line is its bytes with the newline: the last one without a newline is another line than the
// same one with it, and all else follows.
#include "changes/line_diff.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "changes/edit_script.hpp"
#include "changes/line_numbers.hpp"

namespace sbx::changes {
namespace {

using Lines = std::vector<std::string_view>;

/// Where more lines than this differ on a side they are not searched: bounds time and memory.
constexpr std::size_t kMostLines = 1'000'000;

std::string_view take_line(std::string_view& text) {
  const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
  const std::string_view line = text.substr(0, size);
  text.remove_prefix(size);
  return line;
}

void append_lines(Lines& lines, std::string_view text) {
  while (!text.empty()) lines.push_back(take_line(text));
}

std::size_t count_lines(std::string_view text) {
  const auto newlines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  return newlines + (text.empty() || text.back() == '\n' ? 0 : 1);
}

/// Two texts cut to what differs, in whole lines.
struct Cut {
  std::string_view head;  ///< the same on both sides
  std::string_view before;
  std::string_view after;
};

Cut cut_common(std::string_view before, std::string_view after) {
  const auto differ = std::ranges::mismatch(before, after).in1;
  std::string_view head = before.substr(0, static_cast<std::size_t>(differ - before.begin()));
  const bool whole = head.size() == before.size() && head.size() == after.size();
  if (!whole) head = head.substr(0, head.rfind('\n') + 1);  // npos + 1 is 0
  before.remove_prefix(head.size());
  after.remove_prefix(head.size());

  std::size_t common = 0;
  const std::size_t most = std::min(before.size(), after.size());
  while (common < most && before[before.size() - 1 - common] == after[after.size() - 1 - common])
    ++common;
  const auto begins_line = [common](std::string_view text) {
    return common == text.size() || text[text.size() - common - 1] == '\n';
  };
  std::string_view tail = before.substr(before.size() - common);
  if (!tail.empty() && !(begins_line(before) && begins_line(after))) take_line(tail);
  before.remove_suffix(tail.size());
  after.remove_suffix(tail.size());
  return {head, before, after};
}

/// The edits between the parts of a cut that differ, counted from there.
std::vector<Edit> edits_of(const Cut& cut) {
  const std::size_t before_size = count_lines(cut.before);
  const std::size_t after_size = count_lines(cut.after);
  std::vector<Edit> all{{0, before_size, 0, after_size}};
  if (before_size == 0 && after_size == 0) return {};
  if (before_size == 0 || after_size == 0) return all;
  if (before_size > kMostLines || after_size > kMostLines) return all;
  Lines lines;
  lines.reserve(before_size + after_size);
  append_lines(lines, cut.before);
  append_lines(lines, cut.after);
  const std::optional<Numbers> numbers = number_lines(lines);
  if (!numbers) return all;
  const auto middle = numbers->begin() + static_cast<std::ptrdiff_t>(before_size);
  return edit_script({numbers->begin(), middle}, {middle, numbers->end()});
}

/// Goes through a text line by line.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  [[nodiscard]] std::size_t line() const { return line_; }
  std::string_view take() {
    ++line_;
    return take_line(rest_);
  }
  void skip_to(std::size_t line) {
    while (line_ < line) take();
  }

 private:
  std::string_view rest_;
  std::size_t line_ = 0;
};

/// "3,4", "3" where it is one line; of no line at all, the number of the one before.
std::string range(std::size_t begin, std::size_t end) {
  if (end - begin == 1) return std::to_string(end);
  return std::to_string(begin == end ? begin : begin + 1) + "," + std::to_string(end - begin);
}

class HunkWriter {
 public:
  HunkWriter(std::string_view before, std::string_view after, std::size_t context)
      : before_(before), after_(after), lines_(count_lines(before)), context_(context) {}

  /// One hunk of edits that lie near together.
  void put(std::span<const Edit> edits) {
    const Edit& first = edits.front();
    const Edit& last = edits.back();
    const std::size_t lead = std::min(context_, first.before_begin);
    const std::size_t trail = std::min(context_, lines_ - last.before_end);
    text += "@@ -" + range(first.before_begin - lead, last.before_end + trail) + " +" +
            range(first.after_begin - lead, last.after_end + trail) + " @@\n";
    before_.skip_to(first.before_begin - lead);
    for (const Edit& edit : edits) {
      put_lines(' ', before_, edit.before_begin);
      put_lines('-', before_, edit.before_end);
      after_.skip_to(edit.after_begin);
      put_lines('+', after_, edit.after_end);
    }
    put_lines(' ', before_, last.before_end + trail);
  }

  std::string text;

 private:
  void put_lines(char mark, Cursor& from, std::size_t end) {
    while (from.line() < end) {
      const std::string_view line = from.take();
      text += mark;
      text += line;
      if (line.back() != '\n') text += "\n\\ No newline at end of file\n";
    }
  }

  Cursor before_;
  Cursor after_;
  std::size_t lines_;
  std::size_t context_;
};

}  // namespace

std::optional<std::string> unified_hunks(std::string_view before, std::string_view after,
                                         int context) {
  const Cut cut = cut_common(before, after);
  std::vector<Edit> edits = edits_of(cut);
  if (edits.empty()) return std::nullopt;
  const std::size_t head = count_lines(cut.head);
  for (Edit& edit : edits) shift(edit, head);

  const auto around = static_cast<std::size_t>(std::max(context, 0));
  HunkWriter hunks(before, after, around);
  for (auto first = edits.begin(); first != edits.end();) {
    // Where the context of two edits would touch, they are one hunk.
    const auto next =
        std::adjacent_find(first, edits.end(), [around](const Edit& a, const Edit& b) {
          return b.before_begin - a.before_end > 2 * around;
        });
    const auto end = next == edits.end() ? next : next + 1;
    hunks.put({first, end});
    first = end;
  }
  return std::move(hunks.text);
}

LineCounts line_counts(std::string_view before, std::string_view after) {
  LineCounts counts;
  for (const Edit& edit : edits_of(cut_common(before, after))) {
    counts.added += edit.after_end - edit.after_begin;
    counts.removed += edit.before_end - edit.before_begin;
  }
  return counts;
}

}  // namespace sbx::changes
