// The lines of stat_view(): what is said of each change, then all of them laid out in columns.
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "changes/diff_view.hpp"
#include "changes/line_diff.hpp"
#include "changes/renames.hpp"
#include "changes/stat_columns.hpp"
#include "changes/view_words.hpp"

namespace sbx::changes {
namespace {

/// Figures or words for the content of files.
void put_content(StatRow& row, const Change& change, const ReadContent& read) {
  const ShownContents contents = shown_contents(change, read);
  switch (contents.state) {
    case ContentState::same:
      return;
    case ContentState::text:
      if (is_one_sided(change) && contents.before == contents.after) {
        row.words.push_back(change.after.kind == EntryKind::file ? "new empty file"
                                                                 : "deleted empty file");
      }
      row.counts = line_counts(contents.before, contents.after);
      return;
    case ContentState::binary:
      row.binary = size_words(change);
      return;
    case ContentState::unavailable:
    case ContentState::applied:
    case ContentState::not_kept:
      if (is_one_sided(change)) row.words.push_back(kind_words(change));
      break;
    case ContentState::too_large:
      row.words.push_back(size_words(change));
      break;
  }
  row.remarks.push_back(content_words(contents.state));
}

bool only(const Change& change, EntryKind kind) {
  const auto fits = [kind](const Entry& entry) {
    return entry.kind == kind || entry.kind == EntryKind::absent;
  };
  return fits(change.before) && fits(change.after);
}

bool is_new_file(const Change& change) {
  return change.before.kind == EntryKind::absent && change.after.kind == EntryKind::file;
}

/// Modes that changed, and a new file that runs as its owner is worth a word too (setuid).
std::string mode_words(const Entry& before, const Entry& after) {
  constexpr unsigned kSpecial = 07000;
  const bool has_mode = after.kind == EntryKind::file || after.kind == EntryKind::folder;
  if (has_mode && before.kind == after.kind && before.mode != after.mode)
    return "mode " + octal_mode(before.mode) + " -> " + octal_mode(after.mode);
  if (has_mode && before.kind != after.kind && (after.mode & kSpecial) != 0)
    return "mode " + octal_mode(after.mode);
  return {};
}

/// By the number of a content with many names: what is said of it is said of each.
using Told = std::map<std::uint64_t, StatRow>;

void put_new_content(StatRow& row, const Change& change, const ReadContent& read, Told& told) {
  const auto [known, first] = told.try_emplace(change.object);
  if (first) put_content(known->second, change, read);
  const std::string name = std::move(row.name);
  row = known->second;
  row.name = name;
}

StatRow row_of(const Shown& shown, const ReadContent& read, Told& told) {
  const Change& change = *shown.change;
  const Change* source = shown.renamed_from;
  StatRow row{.name = shown_path(change.path)};
  row.is_folder = only(change, EntryKind::folder);
  if (source != nullptr)
    row.name = shown_path(source->path) + " => " + row.name;
  else if (change.object != 0 && change.link_group != 0 && is_new_file(change))
    put_new_content(row, change, read, told);
  else if (only(change, EntryKind::file))
    put_content(row, change, read);
  else
    row.words.push_back(kind_words(change));
  Change compared = change;
  if (source != nullptr) {
    compared.before = source->before;
    compared.disturbed = change.disturbed || source->disturbed;
  }
  row.words.push_back(mode_words(compared.before, compared.after));
  row.words.push_back(attribute_words(compared));
  row.remarks.emplace_back(disturbance(compared));
  std::erase(row.words, "");
  std::erase(row.remarks, "");
  return row;
}

std::string plural(std::uint64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

/// " 3 files and 1 folder changed, 12 insertions(+), 2 deletions(-)".
std::string sum_line(const std::vector<StatRow>& rows) {
  const auto folders = static_cast<std::size_t>(std::ranges::count_if(rows, &StatRow::is_folder));
  const std::size_t files = rows.size() - folders;
  LineCounts sum;
  for (const StatRow& row : rows) {
    if (!row.counts) continue;
    sum.added += row.counts->added;
    sum.removed += row.counts->removed;
  }
  std::string line = " ";
  if (files > 0) line += plural(files, "file");
  if (files > 0 && folders > 0) line += " and ";
  if (folders > 0) line += plural(folders, "folder");
  line += " changed";
  const bool none = sum.added == 0 && sum.removed == 0;
  if (sum.added > 0 || none) line += ", " + plural(sum.added, "insertion") + "(+)";
  if (sum.removed > 0 || none) line += ", " + plural(sum.removed, "deletion") + "(-)";
  return line + "\n";
}

}  // namespace

std::string stat_view(const ChangeSet& set, const ReadContent& read, const ViewOptions& options) {
  std::vector<StatRow> rows;
  Told told;
  for (const Shown& shown : shown_changes(set)) rows.push_back(row_of(shown, read, told));
  std::string text = stat_columns(rows, options);
  if (!rows.empty()) text += sum_line(rows);
  for (const Omission& omission : set.omitted) text += " " + omission_words(omission) + "\n";
  return text;
}

}  // namespace sbx::changes
