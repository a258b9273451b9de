// A patch(1) of a few lines, as strict as can be: hunks have to fit where they say, line by line.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "changes/line_diff.hpp"

/// With their newlines, where they have one.
inline std::vector<std::string_view> patch_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const std::size_t size = newline == std::string_view::npos ? text.size() : newline + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

struct HunkHead {
  std::size_t before = 0;
  std::size_t before_count = 1;
  std::size_t after = 0;
  std::size_t after_count = 1;
};

/// "12,3" or "12" at the front of `text`.
inline bool take_range(std::string_view& text, std::size_t& begin, std::size_t& count) {
  const auto take = [&text](std::size_t& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return error == std::errc{};
  };
  const auto skip = [&text](std::string_view prefix) {
    const bool there = text.substr(0, prefix.size()) == prefix;
    if (there) text.remove_prefix(prefix.size());
    return there;
  };
  if (!skip("@@ -") && !skip(" +")) return false;
  return take(begin) && (!skip(",") || take(count));
}

inline std::optional<HunkHead> hunk_head(std::string_view line) {
  HunkHead head;
  if (!take_range(line, head.before, head.before_count) ||
      !take_range(line, head.after, head.after_count) || line != " @@\n")
    return std::nullopt;
  return head;
}

/// What `hunks` make of `before`; nothing when they do not fit.
inline std::optional<std::string> patched(std::string_view before, std::string_view hunks) {
  const auto old_lines = patch_lines(before);
  const auto lines = patch_lines(hunks);
  std::string after;
  std::size_t at = 0;       // in old_lines
  std::size_t written = 0;  // lines of after
  for (std::size_t i = 0; i < lines.size();) {
    const auto head = hunk_head(lines[i++]);
    if (!head) return std::nullopt;
    const std::size_t begin = head->before_count == 0 ? head->before : head->before - 1;
    if (begin < at || begin > old_lines.size()) return std::nullopt;
    for (; at < begin; ++written) after += old_lines[at++];
    if (written != (head->after_count == 0 ? head->after : head->after - 1)) return std::nullopt;
    const std::size_t before_end = at + head->before_count;
    const std::size_t after_end = written + head->after_count;
    while (at < before_end || written < after_end) {
      if (i == lines.size()) return std::nullopt;
      const char mark = lines[i].front();
      std::string_view line = lines[i++].substr(1);
      if (i < lines.size() && lines[i] == "\\ No newline at end of file\n") {
        line.remove_suffix(1);
        ++i;
      }
      if (mark != '+' && (at == old_lines.size() || old_lines[at++] != line)) return std::nullopt;
      if (mark != '-') {
        after += line;
        ++written;
      }
    }
    if (at != before_end || written != after_end) return std::nullopt;
  }
  while (at < old_lines.size()) after += old_lines[at++];
  return after;
}

/// The lines with + and - of hunks.
inline sbx::changes::LineCounts counted(std::string_view hunks) {
  sbx::changes::LineCounts counts;
  for (const std::string_view line : patch_lines(hunks)) {
    if (line.front() == '+') ++counts.added;
    if (line.front() == '-') ++counts.removed;
  }
  return counts;
}
