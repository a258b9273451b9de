#include "changes/view_words.hpp"

#include <cstdio>

#include "base/text.hpp"

namespace sbx::changes {
namespace {

/// Nothing is cut here: whoever masks secrets does so later, and has to find them whole.
std::string whole(std::string_view text) { return printable(text, std::string_view::npos); }

const Attribute* next(const std::vector<Attribute>& attributes, std::size_t index) {
  return index < attributes.size() ? &attributes[index] : nullptr;
}

/// Both lists are sorted by name.
std::vector<std::string> attribute_changes(const Entry& before, const Entry& after) {
  std::vector<std::string> words;
  std::size_t i = 0;
  std::size_t j = 0;
  for (;;) {
    const Attribute* old = next(before.attributes, i);
    const Attribute* now = next(after.attributes, j);
    if (old == nullptr && now == nullptr) return words;
    if (now == nullptr || (old != nullptr && old->name < now->name)) {
      words.push_back(whole(old->name) + " gone");
      ++i;
    } else if (old == nullptr || now->name < old->name) {
      words.push_back(whole(now->name) + " new");
      ++j;
    } else {
      if (old->value != now->value) words.push_back(whole(now->name) + " changed");
      ++i;
      ++j;
    }
  }
}

std::string target_words(const Entry& entry) { return "to " + whole(entry.target); }

/// "file", "folder", "symlink to x", "fifo".
std::string entry_words(const Entry& entry) {
  std::string words(kind_name(entry.kind));
  if (entry.kind == EntryKind::symlink) words += " " + target_words(entry);
  return words;
}

}  // namespace

std::string shown_path(std::string_view path) { return path.empty() ? "." : whole(path); }

std::string octal_mode(unsigned mode) {
  char text[16];
  (void)std::snprintf(text, sizeof text, "%04o", mode);
  return text;
}

std::string kind_words(const Change& change) {
  const Entry& before = change.before;
  const Entry& after = change.after;
  if (before.kind == after.kind) {
    if (before.target == after.target) return {};
    return entry_words(after) + ", was " + target_words(before);
  }
  if (before.kind == EntryKind::absent) return "new " + entry_words(after);
  if (after.kind == EntryKind::absent) return "deleted " + entry_words(before);
  return entry_words(before) + " became a " + entry_words(after);
}

std::string size_words(const Change& change) {
  return std::to_string(change.before.size) + " -> " + std::to_string(change.after.size) + " bytes";
}

std::string attribute_words(const Change& change) {
  constexpr std::size_t kMostNamed = 4;
  if (change.after.kind == EntryKind::absent) return {};
  const auto words = attribute_changes(change.before, change.after);
  return words.empty() ? "" : "attributes: " + join_some(words, kMostNamed);
}

std::string content_words(ContentState state) {
  switch (state) {
    case ContentState::same:
    case ContentState::text:
    case ContentState::binary:
      return {};
    case ContentState::unavailable:
      return "(the host's file has changed since; no lines to show)";
    case ContentState::applied:
      return "(already applied; no lines to show)";
    case ContentState::not_kept:
      return "(what the run wrote is not kept; no lines to show)";
    case ContentState::too_large:
      return "(too large; no lines to show)";
  }
  return {};
}

std::string_view disturbance(const Change& change) {
  return change.disturbed ? "(the host's side changed during the run)" : "";
}

std::string omission_words(const Omission& omission) {
  return "not kept: " + shown_path(omission.path) + " (" + whole(omission.why) + ")";
}

}  // namespace sbx::changes
