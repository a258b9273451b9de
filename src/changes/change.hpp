// What a run changed in its workspace, as data: one entry for each path that is not as it was.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sbx::changes {

enum class EntryKind { absent, file, folder, symlink, fifo };

/// "file", "folder", "symlink", "fifo"; "absent".
std::string_view kind_name(EntryKind kind);

/// An extended attribute (xattr(7)); any bytes.
struct Attribute {
  std::string name;
  std::string value;
  bool operator==(const Attribute&) const = default;
};

/// What stands at a path, on one side of a change.
struct Entry {
  EntryKind kind = EntryKind::absent;
  unsigned mode = 0;       ///< permission bits (07777), of files and folders
  std::uint64_t size = 0;  ///< bytes, of files
  /// Of files: os::digest_content(), 64 hex digits. Empty: it could not be read, and size and time
  /// of change have to do.
  std::string digest{};
  std::string target{};                 ///< of symlinks, any bytes
  std::int64_t modified_ns = 0;         ///< of files: since the epoch
  std::vector<Attribute> attributes{};  ///< sorted by name
  /// It has others that overlays obey. They are no part of any change: never kept nor applied.
  bool for_overlays = false;
};

struct Change {
  /// Relative to the workspace, any bytes but NUL, no "." or ".." in it; "" is the workspace
  /// itself.
  std::string path;
  Entry before;
  Entry after;
  /// Files whose content is kept have a number, from 1 on; 0: there is none.
  std::uint64_t object = 0;
  /// Paths that are one and the same file have the same number (link(2)); 0: it has one name only.
  std::uint64_t link_group = 0;
  /// The host's side changed while the run went on: nobody knows what the command has seen.
  bool disturbed = false;
  /// A folder that is as it was, and closed to its owner, so that what changes in it needs it
  /// opened and closed again. No change for people.
  bool passage = false;
};

/// What could not be kept, and why: sockets, devices.
struct Omission {
  std::string path;
  std::string why;
};

struct ChangeSet {
  std::string run;        ///< the id
  std::string profile;    ///< its name
  std::string workspace;  ///< the folder on the host, absolute
  std::vector<std::string> argv;
  std::string ended_at;         ///< RFC 3339, UTC
  std::vector<Change> changes;  ///< by path, byte by byte of its components: parents come first
  std::vector<Omission> omitted;
};

struct Totals {
  std::uint64_t added = 0;
  std::uint64_t modified = 0;
  std::uint64_t deleted = 0;
  std::uint64_t bytes = 0;  ///< of the contents that are kept
};

/// How many paths changed, and how; a passage is none.
Totals totals(const ChangeSet& set);

}  // namespace sbx::changes
