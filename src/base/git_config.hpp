// Reads git's configuration format (git-config(1), "Syntax"), so far as to find the files that a
// configuration names. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sbx {

struct GitSetting {
  std::string key;  ///< "core.hookspath", "includeif.path": lower case, without a subsection
  std::string value;
};

/// Every setting that has a value, in order; one that older versions of git read as another value
/// comes twice, with theirs before. Never fails: where git would refuse the file, git does nothing
/// with it either.
std::vector<GitSetting> parse_git_config(std::string_view text);

}  // namespace sbx
