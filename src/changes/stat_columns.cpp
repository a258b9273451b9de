#include "changes/stat_columns.hpp"

#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace sbx::changes {
namespace {

constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kPlain = "\x1b[m";

std::uint64_t total(const StatRow& row) {
  return row.counts ? row.counts->added + row.counts->removed : 0;
}

struct Widths {
  std::size_t name = 0;
  std::size_t number = 1;
  std::size_t bar = 0;
  std::uint64_t longest = 0;  ///< the most lines that a bar stands for
};

/// The bars get three eighths of the line where there is not room for all, the names the rest; both
/// get more where the other one leaves some.
Widths fit(const std::vector<StatRow>& rows, int columns) {
  constexpr std::size_t kLeast = 6;
  constexpr std::size_t kAround = 6;  // " ", " | ", " ", and the last column stays free
  Widths widths;
  for (const StatRow& row : rows) {
    widths.name = std::max(widths.name, count_characters(row.name));
    widths.longest = std::max(widths.longest, total(row));
    if (!row.binary.empty()) widths.number = std::string_view("Bin").size();
  }
  widths.number = std::max(widths.number, std::to_string(widths.longest).size());
  const auto line = static_cast<std::size_t>(std::max(columns, 40));
  const std::size_t room = line - kAround - widths.number;
  const auto bar = static_cast<std::size_t>(std::min<std::uint64_t>(widths.longest, room));
  const std::size_t share = std::max(kLeast, line * 3 / 8 - kAround - widths.number);
  widths.name = std::min(widths.name, room - std::min(bar, share));
  widths.bar = std::min(bar, room - widths.name);
  return widths;
}

/// The end of a name that is too long, from a slash on if there is one: "...nested/file.c".
std::string shortened(const std::string& name, std::size_t width) {
  std::size_t over = count_characters(name);
  if (over <= width) return name;
  over -= width - std::min<std::size_t>(width, 3);
  std::size_t at = 0;
  while (at < name.size() && (over > 0 || continues_character(name[at])))
    if (!continues_character(name[at++])) --over;
  const std::size_t slash = name.find('/', at);
  return "..." + name.substr(slash == std::string::npos ? at : slash);
}

/// A part of the bar for each side, of those that are not zero at least one character.
LineCounts scaled(const LineCounts& counts, const Widths& widths) {
  if (widths.longest <= widths.bar) return counts;
  const std::uint64_t all = counts.added + counts.removed;
  if (all == 0) return counts;
  const std::uint64_t least = counts.added > 0 && counts.removed > 0 ? 2 : 1;
  const std::uint64_t length = std::max(least, all * widths.bar / widths.longest);
  std::uint64_t added = length * counts.added / all;
  if (counts.added > 0) added = std::max<std::uint64_t>(added, 1);
  if (counts.removed > 0) added = std::min(added, length - 1);
  return {added, length - added};
}

std::string figures(const StatRow& row, const Widths& widths, bool colour) {
  const auto in = [colour](std::string_view start, const std::string& text) {
    return colour && !text.empty() ? std::string(start) + text + std::string(kPlain) : text;
  };
  const auto right = [&](const std::string& text) {
    return std::string(widths.number - std::min(widths.number, text.size()), ' ') + text;
  };
  if (!row.binary.empty()) return right("Bin") + " " + row.binary;
  // Where words say what happened, a zero says nothing.
  if (total(row) == 0) return row.words.empty() && row.remarks.empty() ? right("0") : "";
  const LineCounts bar = scaled(row.counts.value_or(LineCounts{}), widths);
  return right(std::to_string(total(row))) + " " + in(kGreen, std::string(bar.added, '+')) +
         in(kRed, std::string(bar.removed, '-'));
}

}  // namespace

std::string stat_columns(const std::vector<StatRow>& rows, const ViewOptions& options) {
  const Widths widths = fit(rows, options.columns);
  std::string text;
  for (const StatRow& row : rows) {
    const std::string name = shortened(row.name, widths.name);
    std::string said = figures(row, widths, options.colour);
    if (!said.empty() && !row.words.empty()) said += ", ";
    said += join(row.words, ", ");
    for (const std::string& remark : row.remarks) {
      if (!said.empty()) said += ' ';
      said += remark;
    }
    text.append(" ").append(name).append(widths.name - count_characters(name), ' ');
    text.append(" | ").append(said).append("\n");
  }
  return text;
}

}  // namespace sbx::changes
