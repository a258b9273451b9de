// patch_view(). A change from one kind to another is two of git's: the old entry goes, the new one
// comes.
#include "changes/diff_view.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "changes/git_name.hpp"
#include "changes/line_diff.hpp"
#include "changes/patch_text.hpp"
#include "changes/renames.hpp"
#include "changes/view_words.hpp"

namespace sbx::changes {
namespace {

bool may_run(const Entry& entry) { return (entry.mode & 0100U) != 0; }

/// All that git knows of modes: symlinks, files that their owner may run, and others.
std::string git_mode(const Entry& entry) {
  if (entry.kind == EntryKind::symlink) return "120000";
  return may_run(entry) ? "100755" : "100644";
}

/// What of a mode git's form does not say.
std::string mode_note(const Entry& before, const Entry& after) {
  const auto said = [](const Entry& entry) {
    return entry.kind == EntryKind::file && entry.mode == (may_run(entry) ? 0755U : 0644U);
  };
  if (after.kind != EntryKind::file && after.kind != EntryKind::folder) return {};
  if (before.kind != after.kind) return said(after) ? "" : "mode " + octal_mode(after.mode);
  if (before.mode == after.mode || (said(before) && said(after))) return {};
  return "mode " + octal_mode(before.mode) + " -> " + octal_mode(after.mode);
}

/// "--- a/x", where a tab ends a name with spaces for patch(1).
std::string name_line(std::string line) {
  if (line.find(' ', 4) != std::string::npos) line += '\t';
  return line;
}

class PatchWriter {
 public:
  PatchWriter(const ReadContent& read, const ViewOptions& options)
      : read_(read), text_(options.colour, options.colour || options.escape) {}

  void put(const Shown& shown) {
    const Change& change = *shown.change;
    if (shown.renamed_from != nullptr)
      put_rename(*shown.renamed_from, change);
    else if (change.before.kind == change.after.kind || is_one_sided(change))
      put_one(change);
    else
      put_two(change);
  }

  void put(const Omission& omission) { text_.note(omission_words(omission)); }

  std::string take() { return text_.take(); }

 private:
  void put_rename(const Change& source, const Change& change) {
    Change moved = change;
    moved.before = source.before;
    moved.disturbed = change.disturbed || source.disturbed;
    put_note(moved, ContentState::same);
    put_head(source.path, change.path);
    put_modes(moved);
    text_.header("similarity index 100%");
    text_.header("rename from " + git_name("", source.path));
    text_.header("rename to " + git_name("", change.path));
  }

  void put_two(const Change& change) {
    Change deletion = change;
    deletion.after = {};
    put_one(deletion);
    Change creation = change;
    creation.before = {};
    creation.disturbed = false;  // it has been said
    put_one(creation);
  }

  /// A change that does not change the kind, or has one side alone.
  void put_one(const Change& change) {
    const bool in_git = has_content(change.before) || has_content(change.after);
    const ShownContents contents = in_git ? shown_contents(change, read_) : ShownContents{};
    const bool noted = put_note(change, contents.state);
    // Git would take a file that comes without lines for an empty one.
    const bool lines_lack = !content_words(contents.state).empty();
    const bool put = in_git && !(lines_lack && is_one_sided(change)) && put_file(change, contents);
    if (!noted && !put) text_.note(shown_path(change.path) + ": no difference to show");
  }

  /// All that git has no form for, in words; tells whether there was any.
  bool put_note(const Change& change, ContentState state) {
    const std::string lack = content_words(state);
    const bool in_git = has_content(change.before) || has_content(change.after);
    std::vector<std::string> words;
    if (!in_git || !lack.empty()) words.push_back(kind_words(change));
    if (state == ContentState::too_large) words.push_back(size_words(change));
    words.push_back(mode_note(change.before, change.after));
    words.push_back(attribute_words(change));
    std::erase(words, "");
    std::string note = join(words, ", ");
    for (const std::string_view remark : {std::string_view(lack), disturbance(change)}) {
      if (!note.empty() && !remark.empty()) note += ' ';
      note += remark;
    }
    if (!note.empty()) text_.note(shown_path(change.path) + ": " + note);
    return !note.empty();
  }

  /// The form that git has; tells whether it had anything to say.
  bool put_file(const Change& change, const ShownContents& contents) {
    std::optional<std::string> hunks;
    if (contents.state == ContentState::text)
      hunks = unified_hunks(contents.before, contents.after);
    const bool binary = contents.state == ContentState::binary;
    const bool same_mode = git_mode(change.before) == git_mode(change.after);
    if (!is_one_sided(change) && same_mode && !hunks && !binary) return false;
    put_head(change.path, change.path);
    put_modes(change);
    const bool is_new = change.before.kind == EntryKind::absent;
    const bool is_gone = change.after.kind == EntryKind::absent;
    const std::string before = is_new ? "/dev/null" : git_name("a/", change.path);
    const std::string after = is_gone ? "/dev/null" : git_name("b/", change.path);
    if (binary) text_.plain("Binary files " + before + " and " + after + " differ");
    if (!hunks) return true;
    text_.header(name_line("--- " + before));
    text_.header(name_line("+++ " + after));
    text_.hunks(*hunks);
    return true;
  }

  void put_head(std::string_view before, std::string_view after) {
    text_.header("diff --git " + git_name("a/", before) + " " + git_name("b/", after));
  }

  void put_modes(const Change& change) {
    const std::string before = git_mode(change.before);
    const std::string after = git_mode(change.after);
    if (change.before.kind == EntryKind::absent) {
      text_.header("new file mode " + after);
    } else if (change.after.kind == EntryKind::absent) {
      text_.header("deleted file mode " + before);
    } else if (before != after) {
      text_.header("old mode " + before);
      text_.header("new mode " + after);
    }
  }

  const ReadContent& read_;
  PatchText text_;
};

}  // namespace

void patch_view(const ChangeSet& set, const ReadContent& read, const ViewOptions& options,
                const TakeLines& take) {
  PatchWriter patch(read, options);
  for (const Shown& shown : shown_changes(set)) {
    patch.put(shown);
    if (!take(patch.take())) return;
  }
  for (const Omission& omission : set.omitted) {
    patch.put(omission);
    if (!take(patch.take())) return;
  }
}

}  // namespace sbx::changes
