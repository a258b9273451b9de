// The new root in the making: which places exist already, and whose file system is at each. Decides
// which mount points can be made, so that nothing is ever created on the host's own tree.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "plan/builder.hpp"

namespace sbx::plan {

class Tree {
 public:
  explicit Tree(Builder& builder) : builder_(builder) {}

  /// Adds the steps that make `target` a folder (or an empty file) to mount on, with its parents.
  /// Below a tree of somebody else's nothing is made: it has to be there. Errors: the path leads
  /// through a symbolic link of the root, or something else is at that place.
  Result<void> make_mount_point(const std::string& target, bool folder, const std::string& reason,
                                const std::string& key);
  /// From now on `target` is the root of a tree that is not ours to write to.
  void cover_foreign(const std::string& target);
  /// From now on `target` is the root of a fresh tmpfs of ours.
  void cover_own(const std::string& target);
  Result<void> make_symlink(const std::string& path, const std::string& link,
                            const std::string& reason);
  Result<void> make_file(const std::string& path, const std::string& content, unsigned mode,
                         const std::string& reason, const std::string& key);
  /// A read-only copy of the host's file `source`.
  Result<void> make_copy(const std::string& path, const std::string& source,
                         const std::string& reason, const std::string& key);
  /// Would `path` lie in a tree that is not ours?
  [[nodiscard]] bool is_foreign(std::string_view path) const;

 private:
  enum class Kind { folder, file, symlink, own_root, foreign_root };
  /// What is at `path`; nullopt when nothing of the plan's.
  [[nodiscard]] std::optional<Kind> kind_of(std::string_view path) const;
  Result<void> make_parents(const std::string& path, const std::string& reason,
                            const std::string& key);
  void cover(const std::string& target, Kind kind);

  Builder& builder_;
  std::map<std::string, Kind, std::less<>> places_{{"/", Kind::own_root}};
};

/// "/a/b" -> "/a"; "/a" -> "/".
std::string_view parent_path(std::string_view path);

}  // namespace sbx::plan
