// The two contents of a change, as far as they can be shown. Pure.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <string>

#include "changes/change.hpp"

namespace sbx::changes {

/// Why a content is not available any more.
enum class Lack {
  lost,     ///< it is gone, or another one
  applied,  ///< of what was before: the host has what the run left
};

/// The content of a file on one side of a change.
using ReadContent = std::function<std::expected<std::string, Lack>(const Change&, bool after)>;

/// Larger files are not read, and not compared line by line.
constexpr std::uint64_t kLargestShown = std::uint64_t{8} << 20U;

/// Files and symlinks, which have contents (of a symlink, its target) as in git. Folders and fifos
/// have none.
bool has_content(const Entry& entry);

/// New or deleted.
inline bool is_one_sided(const Change& change) {
  return change.before.kind == EntryKind::absent || change.after.kind == EntryKind::absent;
}

enum class ContentState {
  same,         ///< nothing was read, there is nothing to show
  text,         ///< both were read
  binary,       ///< both were read, and at least one has a NUL byte near its begin, as in git
  unavailable,  ///< the host's file is not any more what it was before the run
  applied,      ///< the host's file is what the run left
  not_kept,     ///< what the run wrote is not there
  too_large,
};

struct ShownContents {
  ContentState state = ContentState::same;
  std::string before{};  ///< of text and binary; empty where nothing stands
  std::string after{};
};

/// Of a change between two files, two symlinks, or one of them and nothing.
ShownContents shown_contents(const Change& change, const ReadContent& read);

}  // namespace sbx::changes
