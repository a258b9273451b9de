// From a profile's name to the effective Profile: read, extend, override, decode, validate. Pure:
// the caller passes in how files are read.
#pragma once

#include <expected>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "profile/profile.hpp"

namespace sbx::profile {

/// One profile's text and where it came from.
struct SourceText {
  std::string
      name;  ///< for messages: "team.yaml", "/etc/sbx/profiles/x.yaml", "<python>" (built in)
  std::string
      folder;  ///< absolute; what relative paths in `mounts` are relative to ("" for built in)
  std::string text;
};

/// Finds a profile by name or path; `user` is the file that names it in `extends`, from whose
/// folder paths start (null: the command line, and the caller's directory).
using Reader = std::function<Result<SourceText>(const std::string& name, const SourceText* user)>;

/// One key set from outside the files: a flag of `run` or `--set`. Applied last, in order. `yaml`
/// is merged by the same rules as a file that extends (maps merge, lists append).
struct Override {
  std::string key;   ///< dotted path: "limits.memory", "vars.mem", "mounts"
  std::string yaml;  ///< the value as YAML text: "256M", "[{tmpfs: /x}]"
  std::string flag;  ///< for messages: "--memory"
};

struct LoadRequest {
  std::string name = "default";
  std::vector<Override> overrides{};
  std::map<std::string, std::string> env{};  ///< the caller's, for ${env:NAME}
  std::string cwd{};                         ///< absolute; relative paths of flags
  WorkspaceMode mode = WorkspaceMode::ro;    ///< of a workspace of which nobody says it
};

/// Every problem found, in file order; never empty.
using Problems = std::vector<Error>;

std::expected<Profile, Problems> load(const LoadRequest& request, const Reader& read);

/// The built-in profiles (name -> YAML text), embedded when sbx was built.
const std::map<std::string, std::string_view>& builtin_profiles();

/// JSON Schema (2020-12) of the profile grammar, as text; the same table decode uses names the
/// keys.
std::string profile_schema();

}  // namespace sbx::profile
