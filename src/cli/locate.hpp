// Finds profiles: a path, or a name looked up in the user's folder, in the system's, then in the
// binary.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "profile/load.hpp"

namespace sbx::cli {

/// Where names are looked up, and what a relative path on the command line is relative to.
struct Lookup {
  std::string cwd;
  std::vector<std::string> folders;  ///< in order of precedence; may be missing
};

/// $XDG_CONFIG_HOME/sbx/profiles (or ~/.config/sbx/profiles), then /etc/sbx/profiles.
Lookup make_lookup(const std::string& cwd, const std::map<std::string, std::string>& env);

/// A path contains '/' or ends in .yaml or .yml; everything else is a name.
bool is_path(std::string_view profile);

/// The text of `profile`, as a profile::Reader gives it. A profile that extends its own name means
/// the next one of it: so a user's `python` can extend the built-in one. Errors have the kind
/// `profile`; for an unknown name they list the near ones.
Result<profile::SourceText> locate(const Lookup& lookup, const std::string& profile,
                                   const profile::SourceText* user);

/// One name that can be used, and where it is found first.
struct Listed {
  std::string name;
  std::string place;  ///< a path, or "built in"
};
/// Every name, sorted.
std::vector<Listed> list_profiles(const Lookup& lookup);

}  // namespace sbx::cli
