#include "cli/locate.hpp"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "base/ascii.hpp"
#include "base/text.hpp"
#include "cli/files.hpp"

namespace sbx::cli {
namespace {

constexpr std::string_view kSuffix = ".yaml";

bool is_name(std::string_view text) {
  const auto allowed = [](char c) { return is_alnum(c) || c == '.' || c == '_' || c == '-'; };
  return !text.empty() && text[0] != '.' && std::ranges::all_of(text, allowed);
}

std::string file_of(std::string folder, std::string_view name) {
  return folder.append("/").append(name).append(kSuffix);
}

/// The names of the profiles in `folder`; none when it cannot be read.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  const auto close = [](DIR* dir) { ::closedir(dir); };
  const std::unique_ptr<DIR, decltype(close)> dir(::opendir(folder.c_str()), close);
  if (!dir) return names;
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string_view file(entry->d_name);
    if (!file.ends_with(kSuffix)) continue;
    const std::string_view name = file.substr(0, file.size() - kSuffix.size());
    if (is_name(name)) names.emplace_back(name);
  }
  return names;
}

/// The folder of the file behind `path`: mounts of a profile reached by a link are relative to
/// where the profile really lies.
std::string folder_of(const std::string& path) {
  std::array<char, PATH_MAX> real{};
  const std::string full = ::realpath(path.c_str(), real.data()) != nullptr ? real.data() : path;
  const std::size_t slash = full.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : full.substr(0, slash);
}

bool is_link(const std::string& path) {
  struct ::stat what{};
  return ::lstat(path.c_str(), &what) == 0 && S_ISLNK(what.st_mode);
}

/// Where among the folders the look-up of `name` begins. A folder may be another one's, by a link.
std::size_t first_place(const Lookup& lookup, const std::string& name,
                        const profile::SourceText* user) {
  const std::string file = file_of("", name);
  if (user == nullptr || !('/' + user->name).ends_with(file)) return 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < lookup.folders.size(); ++i)
    if (folder_of(lookup.folders[i] + file) == user->folder) first = i + 1;
  return first;
}

Error no_other(const std::string& name) {
  return {ErrorKind::profile,
          "no other profile is named " + quote(name),
          {},
          "a profile that extends its own name means the next one of that name; sbx profiles ls "
          "has those that there are"};
}

/// The path that may have been meant: a file of this very name, unless it is a program, or with
/// the other ending.
std::string path_for(const std::string& folder, const std::string& name) {
  for (const std::string& file : {name, name + ".yml"}) {
    const std::string path = std::string(folder).append("/").append(file);
    struct ::stat what{};
    if (::stat(path.c_str(), &what) == 0 && S_ISREG(what.st_mode) && (what.st_mode & 0111) == 0)
      return quote("./" + file);
  }
  return "./" + (is_name(name) ? name : "NAME") + std::string(kSuffix);
}

Error unknown_name(const Lookup& lookup, const std::string& folder, const std::string& name) {
  const std::vector<Listed> listed = list_profiles(lookup);
  std::vector<std::string_view> names;
  names.reserve(listed.size());
  for (const Listed& one : listed) names.push_back(one.name);
  std::string what = "no profile is named " + quote(name);
  const std::string_view near = nearest_name(name, names);
  if (!near.empty()) what += "; did you mean " + std::string(near) + "?";
  return {ErrorKind::profile,
          std::move(what),
          {},
          "profiles: " + join(names, ", ") + "; a file needs its path, such as " +
              path_for(folder, name)};
}

}  // namespace

Lookup make_lookup(const std::string& cwd, const std::map<std::string, std::string>& env) {
  Lookup lookup{.cwd = cwd, .folders = {}};
  const auto absolute = [&env](const char* name) {
    const auto found = env.find(name);
    return found != env.end() && found->second.starts_with('/') ? found->second : std::string{};
  };
  // The XDG base directory specification: a relative path there is to be ignored.
  if (const std::string config = absolute("XDG_CONFIG_HOME"); !config.empty())
    lookup.folders.push_back(config + "/sbx/profiles");
  else if (const std::string home = absolute("HOME"); !home.empty())
    lookup.folders.push_back(home + "/.config/sbx/profiles");
  lookup.folders.emplace_back("/etc/sbx/profiles");
  return lookup;
}

bool is_path(std::string_view profile) {
  return profile.find('/') != std::string_view::npos || profile.ends_with(".yaml") ||
         profile.ends_with(".yml");
}

Result<profile::SourceText> locate(const Lookup& lookup, const std::string& profile,
                                   const profile::SourceText* user) {
  if (is_path(profile)) {
    std::string path = profile;
    if (!path.starts_with('/') && user != nullptr && !user->folder.empty())
      path = user->folder + "/" + (path.starts_with("./") ? path.substr(2) : path);
    std::string text = SBX_TRY(read_profile(path, ProfileFile::named));
    return profile::SourceText{
        path, folder_of(path.starts_with('/') ? path : lookup.cwd + "/" + path), std::move(text)};
  }
  const std::size_t first = first_place(lookup, profile, user);
  if (is_name(profile)) {
    for (std::size_t i = first; i < lookup.folders.size(); ++i) {
      const std::string& place = lookup.folders[i];
      const std::string path = file_of(place, profile);
      Result<std::string> text = read_profile(path, ProfileFile::found);
      if (text) return profile::SourceText{path, folder_of(path), *std::move(text)};
      // Only "there is none" leads on: a profile that we may not read is not another one's
      // stand-in.
      Error& failed = text.error();
      if (failed.sys_errno == ENOENT && is_link(path)) {
        failed.hint = "the link leads nowhere: mend it, or remove it";
        return std::unexpected(std::move(failed));
      }
      if (failed.sys_errno == ENOENT || failed.sys_errno == ENOTDIR) continue;
      if (failed.sys_errno == EACCES)
        failed.hint = "profiles of that name are looked up in " + place +
                      " first, which you may not read: is HOME (or XDG_CONFIG_HOME) yours?";
      return std::unexpected(std::move(failed));
    }
    const auto& built_in = profile::builtin_profiles();
    if (const auto found = built_in.find(profile); found != built_in.end())
      return profile::SourceText{"<" + profile + ">", "", std::string(found->second)};
  }
  if (first > 0) return std::unexpected(no_other(profile));
  const bool extended = user != nullptr && !user->folder.empty();
  return std::unexpected(unknown_name(lookup, extended ? user->folder : lookup.cwd, profile));
}

std::vector<Listed> list_profiles(const Lookup& lookup) {
  std::map<std::string, std::string> found;  // the first place of a name stays
  for (const std::string& folder : lookup.folders) {
    for (const std::string& name : names_in(folder)) found.emplace(name, file_of(folder, name));
  }
  for (const auto& [name, text] : profile::builtin_profiles()) found.emplace(name, "built in");
  std::vector<Listed> listed;
  listed.reserve(found.size());
  for (const auto& [name, place] : found) listed.push_back({name, place});
  return listed;
}

}  // namespace sbx::cli
