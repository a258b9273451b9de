// The new root in the making: which places exist already, and whose file system is at each. Decides
// which mount points can be made, so that nothing is ever created on the host's own tree.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

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
  /// The same for what is no mount: the folders above may be moved, where the payload may write.
  Result<void> make_place(const std::string& target, bool folder, std::string_view reason,
                          std::string_view key);
  /// From now on `target` is the root of a tree that is not ours to write to. `lasting`: what the
  /// payload writes there outlives the run.
  void cover_foreign(const std::string& target, bool lasting = false);
  /// From now on `target` is the root of a fresh tmpfs of ours.
  void cover_own(const std::string& target);
  Result<void> make_symlink(const std::string& path, const std::string& link,
                            std::string_view reason);
  Result<void> make_file(const std::string& path, const std::string& content, unsigned mode,
                         std::string_view reason, std::string_view key);
  /// Adds the step that keeps the folder `path` from being renamed or removed, unless something is
  /// mounted there already.
  void hold(const std::string& path, bool optional, std::string_view reason, std::string_view key);
  /// The same for each folder between `place`, on which something is to be mounted, and the root of
  /// the lasting tree or scratch that it lies in, if it does. Before that is mounted.
  void hold_above(std::string_view place, std::string_view key);
  /// A read-only copy of the host's file `source`.
  Result<void> make_copy(const std::string& path, const std::string& source,
                         std::string_view reason, std::string_view key);
  /// Would `path` lie in a tree that is not ours?
  [[nodiscard]] bool is_foreign(std::string_view path) const;
  /// Is nothing there yet, where something of ours could be made?
  [[nodiscard]] bool is_free(std::string_view path) const {
    return !kind_of(path) && !is_foreign(path);
  }
  /// Is it a file that a step has made?
  [[nodiscard]] bool is_made_file(std::string_view path) const;
  /// The lasting tree that `path` lies in, and those below it.
  [[nodiscard]] std::vector<std::string> lasting_at(std::string_view path) const;
  /// Would it lie in a tmpfs that the payload may write to?
  [[nodiscard]] bool is_scratch(std::string_view path) const;

 private:
  enum class Kind { folder, file, symlink, own_root, foreign_root, lasting_root };
  struct Place {
    Kind kind = Kind::folder;
    bool parent = false;  ///< something of the plan's is in it
  };
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  static bool is_root(Kind kind) { return kind >= Kind::own_root; }
  /// What is at `path`; nullopt when nothing of the plan's.
  [[nodiscard]] std::optional<Kind> kind_of(std::string_view path) const;
  /// What the innermost mount is that covers the path.
  [[nodiscard]] Kind root_of(std::string_view path) const;
  void put(std::string_view path, Kind kind);
  Result<void> make_parents(const std::string& path, std::string_view reason, std::string_view key);
  void cover(const std::string& target, Kind kind);

  Builder& builder_;
  std::unordered_map<std::string, Place, Hash, std::equal_to<>> places_;
};

/// Why a folder is held.
constexpr std::string_view kHeldReason = "moved away, what is mounted in it would go along";

/// "/a/b" -> "/a"; "/a" -> "/".
std::string_view parent_path(std::string_view path);

}  // namespace sbx::plan
