// What is at a path of a git work tree, asked without following any link: a payload of an earlier
// run may have written all of it. Runs in the supervisor.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace sbx::os {

enum class GitKind { missing, file, folder, link, other };

struct GitEntry {
  GitKind kind = GitKind::missing;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  bool linked = false;  ///< a file that has other names as well
};

/// What is at the absolute `path`; `link` also when one stands on the way to it. Errors: it may not
/// be looked at.
Result<GitEntry> git_entry(const std::string& path);

/// The text of the regular file at `path`, which no link leads to. Errors: it cannot be read, or is
/// larger than such a file may be.
Result<std::string> git_text(const std::string& path);
/// The same of a file that no payload writes, the caller's or the system's; links are followed.
/// Empty where git goes on without: it is missing, closed to us, or a device such as /dev/null.
Result<std::string> git_outer_text(const std::string& path);

/// The names in the folder at `path`. Errors: it cannot be read, or holds too many.
Result<std::vector<std::string>> git_names(const std::string& path);

/// "PATH: `why`", with what helps.
Error git_error(const std::string& path, std::string_view why, std::string hint = {});

}  // namespace sbx::os
