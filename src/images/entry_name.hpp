// The names in a layer: what they mean, and which are refused. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace sbx::images {

inline constexpr std::size_t kMaxNames = 128;  ///< in one path

enum class Role {
  plain,
  whiteout,  ///< `name` of the layers below goes
  opaque,    ///< what the folder has of the layers below goes
  ignored,   ///< of aufs's own
};

struct EntryName {
  std::vector<std::string> parents;  ///< from the root down
  std::string name;                  ///< empty: the root itself; of a whiteout what it hides
  Role role = Role::plain;
};

/// A layer's entry ("./usr/bin/x", "/usr/bin/x", "usr/bin/.wh.x"). Absolute ones count from the
/// image's root, as container engines have it. Errors: "..", names longer than 255 bytes, more than
/// kMaxNames of them, a whiteout of nothing.
Result<EntryName> entry_name(std::string_view path);

/// The names of a path without whiteouts (the target of a hard link, a working directory).
Result<EntryName> plain_name(std::string_view path);

}  // namespace sbx::images
