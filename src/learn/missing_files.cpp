#include "learn/missing_files.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "plan/why.hpp"

namespace sbx::learn {
namespace {

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool is_in(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

/// Folders that hold everybody's things, or everything of somebody's: naming one is no need for all
/// of it.
bool is_too_much(const std::string& path) {
  constexpr std::array<std::string_view, 14> kShared{
      "/",    "/boot", "/etc", "/home", "/lost+found", "/mnt", "/media",
      "/opt", "/root", "/run", "/srv",  "/sys",        "/var", "/usr"};
  if (std::ranges::find(kShared, path) != kShared.end()) return true;
  const std::string above = folder_of(path);
  return above == "/home" || above == "/var" || above == "/run" || above == "/mnt" ||
         above == "/media";
}

/// Files of one folder become that folder, if it may be shown: a program that looks for three of
/// its files looks for the others another time.
std::map<std::string, Missing> gathered(std::map<std::string, Missing> all) {
  constexpr std::size_t kFew = 2;
  for (bool changed = true; changed;) {
    changed = false;
    std::map<std::string, std::size_t> in;
    for (const auto& [path, missing] : all) ++in[folder_of(path)];
    for (const auto& [folder, count] : in) {
      if ((count < kFew && !all.contains(folder)) || is_too_much(folder)) continue;
      Missing whole = all.contains(folder) ? all[folder] : Missing{.path = folder};
      for (auto one = all.begin(); one != all.end();) {
        if (!is_in(one->first, folder)) {
          ++one;
          continue;
        }
        whole.named += one->second.named;
        if (whole.comm.empty()) whole.comm = one->second.comm;
        if (one->second.standing == HostPath::own) whole.standing = HostPath::own;
        one = all.erase(one);
        changed = true;
      }
      all[folder] = std::move(whole);
      if (changed) break;
    }
  }
  return all;
}

}  // namespace

FileNeeds file_needs(const profile::Profile& profile, const plan::Plan& plan,
                     const supervise::Observations& seen, const LookAtHost& look) {
  FileNeeds needs;
  std::map<std::string, Missing> missing;
  const std::string& at = profile.workspace.at;
  for (const auto& [path, how] : seen.paths) {
    const auto answer = plan::why(profile, plan, "path:" + path);
    if (!answer) continue;
    if (answer->absent) {
      const HostPath standing = look(path);
      if (standing != HostPath::absent && !is_too_much(path))
        missing[path] = {.path = path, .named = 1, .comm = how.comm, .standing = standing};
    } else if (answer->verdict == plan::Verdict::partly && how.changes) {
      if (path == at || is_in(path, at))
        needs.workspace_written = true;
      else
        needs.refused.push_back(path);
    }
  }
  for (auto& [path, one] : gathered(std::move(missing))) needs.missing.push_back(std::move(one));
  return needs;
}

}  // namespace sbx::learn
