#include "changes/view_contents.hpp"

#include <string_view>
#include <utility>

namespace sbx::changes {
namespace {

bool is_binary(std::string_view content) {
  constexpr std::size_t kLooked = 8000;  // as git does
  return content.substr(0, kLooked).find('\0') != std::string_view::npos;
}

/// Empty files need no one to read them.
std::expected<std::string, Lack> content_of(const Change& change, bool after,
                                            const ReadContent& read) {
  const Entry& entry = after ? change.after : change.before;
  if (entry.kind == EntryKind::symlink) return entry.target;
  if (entry.kind != EntryKind::file || entry.size == 0) return "";
  return read(change, after);
}

bool too_large(const Entry& entry) {
  return entry.kind == EntryKind::file && entry.size > kLargestShown;
}

/// Both sides are a file, and the digests say that nothing has to be read.
bool same_content(const Entry& before, const Entry& after) {
  return before.kind == EntryKind::file && after.kind == EntryKind::file &&
         !before.digest.empty() && before.digest == after.digest;
}

}  // namespace

bool has_content(const Entry& entry) {
  return entry.kind == EntryKind::file || entry.kind == EntryKind::symlink;
}

ShownContents shown_contents(const Change& change, const ReadContent& read) {
  if (same_content(change.before, change.after)) return {};
  if (too_large(change.before) || too_large(change.after)) return {ContentState::too_large};
  auto before = content_of(change, false, read);
  if (!before && before.error() == Lack::applied) return {ContentState::applied};
  if (!before) return {ContentState::unavailable};
  auto after = content_of(change, true, read);
  if (!after) return {ContentState::not_kept};
  if (!is_one_sided(change) && *before == *after) return {};
  const bool binary = is_binary(*before) || is_binary(*after);
  return {binary ? ContentState::binary : ContentState::text, *std::move(before),
          *std::move(after)};
}

}  // namespace sbx::changes
