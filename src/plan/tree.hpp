// The new root in the making: which places exist already, and whose file system is at each. Decides
// which mount points can be made, so that nothing is ever created on the host's own tree.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "plan/builder.hpp"

namespace sbx::plan {

class Tree {
 public:
  explicit Tree(Builder& builder);

  /// Adds the steps that make `target` a folder (or an empty file) to mount on, with its parents.
  /// Below a tree of somebody else's nothing is made: it has to be there. Errors: the path leads
  /// through a symbolic link of the root, or something else is at that place.
  Result<void> make_mount_point(const std::string& target, bool folder, std::string_view reason,
                                std::string_view key);
  /// From now on `target` is the root of a tree that is not ours to write to.
  void cover_foreign(const std::string& target);
  /// From now on `target` is the root of a fresh tmpfs of ours.
  void cover_own(const std::string& target);
  Result<void> make_symlink(const std::string& path, const std::string& link,
                            std::string_view reason);
  Result<void> make_file(const std::string& path, const std::string& content, unsigned mode,
                         std::string_view reason, std::string_view key);
  /// A read-only copy of the host's file `source`.
  Result<void> make_copy(const std::string& path, const std::string& source,
                         std::string_view reason, std::string_view key);
  /// Would `path` lie in a tree that is not ours?
  [[nodiscard]] bool is_foreign(std::string_view path) const;
  /// Would it lie in a tmpfs that the payload may write to?
  [[nodiscard]] bool is_scratch(std::string_view path) const;

 private:
  enum class Kind { folder, file, symlink, own_root, foreign_root };
  struct Place {
    Kind kind = Kind::folder;
    bool parent = false;  ///< something of the plan's is in it
  };
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  /// What is at `path`; nullopt when nothing of the plan's.
  [[nodiscard]] std::optional<Kind> kind_of(std::string_view path) const;
  void put(std::string_view path, Kind kind);
  Result<void> make_parents(const std::string& path, std::string_view reason, std::string_view key);
  void cover(const std::string& target, Kind kind);

  Builder& builder_;
  std::unordered_map<std::string, Place, Hash, std::equal_to<>> places_;
};

/// "/a/b" -> "/a"; "/a" -> "/".
std::string_view parent_path(std::string_view path);

}  // namespace sbx::plan
