#include "learn/missing_files.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "base/ascii.hpp"
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
/// of it. What the kernel makes up is not shown by mounts.
bool is_too_much(const std::string& path) {
  constexpr std::array<std::string_view, 6> kOfMany{"/home", "/var",   "/run",
                                                    "/mnt",  "/media", "/net"};
  constexpr std::array<std::string_view, 3> kMadeUp{"/proc", "/sys", "/dev"};
  const std::string above = folder_of(path);
  return above == "/" || std::ranges::find(kOfMany, above) != kOfMany.end() ||
         std::ranges::any_of(kMadeUp, [&path](std::string_view top) { return is_in(path, top); });
}

/// Nothing in it that YAML, a variable's name or a terminal would take for something else.
bool is_plain(const std::string& path) {
  return std::ranges::all_of(
      path, [](char c) { return is_alnum(c) || std::string_view("/._-+@=,:~ ").contains(c); });
}

using Found = std::map<std::string, Missing>;

/// Everybody may read all of the folder, and nothing of what was looked for in it says otherwise.
bool may_be_whole(const Found& all, const std::string& folder, const LookAtHost& look) {
  if (is_too_much(folder) || !is_plain(folder)) return false;
  const bool doubts = std::ranges::any_of(all, [&folder](const auto& one) {
    return (one.first == folder || is_in(one.first, folder)) &&
           one.second.standing != HostPath::shared;
  });
  return !doubts && look(folder) == HostPath::shared;
}

void gather(Found& all, const std::string& folder) {
  Missing whole{.path = folder};
  for (auto one = all.begin(); one != all.end();) {
    if (one->first != folder && !is_in(one->first, folder)) {
      ++one;
      continue;
    }
    whole.named += one->second.named;
    if (whole.comm.empty()) whole.comm = one->second.comm;
    one = all.erase(one);
  }
  all[folder] = std::move(whole);
}

/// Files of one folder become that folder, if it may be shown: a program that looks for two of its
/// files looks for others another time.
Found gathered(Found all, const LookAtHost& look) {
  constexpr std::size_t kFew = 2;
  constexpr int kMostRounds = 100;
  std::set<std::string> refused;
  for (int round = 0; round < kMostRounds; ++round) {
    std::map<std::string, std::size_t> in;
    for (const auto& [path, missing] : all) ++in[folder_of(path)];
    const auto next = std::ranges::find_if(in, [&](const auto& one) {
      return (one.second >= kFew || all.contains(one.first)) && !refused.contains(one.first);
    });
    if (next == in.end()) break;
    if (may_be_whole(all, next->first, look))
      gather(all, next->first);
    else
      refused.insert(next->first);
  }
  return all;
}

}  // namespace

FileNeeds file_needs(const profile::Profile& profile, const plan::Plan& plan,
                     const supervise::Observations& seen, const LookAtHost& look) {
  FileNeeds needs;
  constexpr std::size_t kMostMissing = 300;
  Found missing;
  const std::string& at = profile.workspace.at;
  for (const auto& [path, how] : seen.paths) {
    const auto answer = plan::why(profile, plan, "path:" + path);
    if (!answer) continue;
    if (answer->absent) {
      const HostPath standing = look(path);
      if (standing == HostPath::absent) {
        if (how.changes && look(folder_of(path)) != HostPath::absent) needs.refused.push_back(path);
        continue;
      }
      if (missing.size() == kMostMissing || needs.too_wide.size() == kMostMissing)
        needs.more = true;
      else if (is_too_much(path))
        needs.too_wide.push_back({.path = path, .named = 1, .comm = how.comm});
      else
        missing[path] = {.path = path,
                         .named = 1,
                         .comm = how.comm,
                         .standing = is_plain(path) ? standing : HostPath::own};
    } else if (answer->verdict == plan::Verdict::partly && how.changes) {
      if (path == at || is_in(path, at))
        needs.workspace_written = true;
      else
        needs.refused.push_back(path);
    }
  }
  for (auto& [path, one] : gathered(std::move(missing), look))
    needs.missing.push_back(std::move(one));
  return needs;
}

}  // namespace sbx::learn
