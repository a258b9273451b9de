// The root of an image in the making: members of its layers, put where they belong, one layer over
// another. By descriptors, and every path is resolved within that root (openat2(2),
// RESOLVE_IN_ROOT): no link, and no "..", leads out of it.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/error.hpp"
#include "images/archive.hpp"
#include "images/entry_name.hpp"
#include "os/fd.hpp"

namespace sbx::images {

/// Opens `path` as if `root` were the root folder; links in it count from there.
SysResult<os::UniqueFd> open_in_root(int root, const char* path, int flags);

class TreeWriter {
 public:
  /// `max_bytes`: how large its files may be together, holes included. `budget`: folders that no
  /// member is count as well.
  TreeWriter(int root, std::uint64_t max_bytes, Budget& budget)
      : root_(root), left_(max_bytes), budget_(budget) {}

  /// What is there by now belongs to the layers below.
  void begin_layer() { made_.clear(); }
  /// Puts a member in its place; its content comes from `layer`.
  Result<void> put(const Member& member, LayerReader& layer);

  /// A folder and its parents, where there is none.
  Result<void> make_folder(const EntryName& name);
  /// An empty file, unless there is one; anything else in its place goes.
  Result<void> make_file(const EntryName& name);

  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }  ///< devices and such
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  /// The folder that `parents` name; made where it is missing.
  Result<int> parent(const std::vector<std::string>& parents, bool make);
  /// Does what is there stay? A folder adds to a folder, and a file is another name of itself;
  /// everything else takes its place.
  [[nodiscard]] Result<bool> leaves(const Member& member, const struct ::stat& there) const;
  Result<void> make_one(const Member& member, const EntryName& name, int folder,
                        LayerReader& layer);
  Result<void> write_file(const Member& member, const EntryName& name, int folder,
                          LayerReader& layer);
  /// Of a hard link.
  struct Target {
    os::UniqueFd folder{};
    std::string name{};
    ::ino_t inode = 0;  ///< 0: there is none, or a folder
  };
  [[nodiscard]] Result<Target> find_target(const Member& member) const;
  Result<void> link(const Member& member, const EntryName& name, int folder);
  Result<void> whiteout(const EntryName& name);
  /// Removes `name`, whatever it is. `below`: but what this layer has put there.
  SysResult<void> remove(int folder, const std::string& name, bool below, int depth);
  SysResult<void> remove_inside(int folder, bool below, int depth);
  [[nodiscard]] bool is_made(int folder, const std::string& name) const;
  void note_made(int folder, const std::string& name);

  int root_;
  std::uint64_t left_;
  Budget& budget_;
  std::uint64_t bytes_ = 0;
  std::uint64_t left_out_ = 0;
  std::unordered_set<std::string> made_{};  ///< by this layer: the folder's inode and a name
  std::string parent_path_{};               ///< of parent_fd_
  os::UniqueFd parent_fd_{};
};

}  // namespace sbx::images
