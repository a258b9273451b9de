#include "base/lexical_path.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace sbx {
namespace {

void walk(std::string& at, std::string_view path) {
  for (const std::string_view name : split(path, '/')) {
    if (name.empty() || name == ".") continue;
    if (name == "..")
      at.resize(at.empty() ? 0 : at.rfind('/'));  // above "/" is "/"
    else
      at.append("/").append(name);
  }
}

}  // namespace

std::string lexical_path(std::string_view folder, std::string_view path) {
  std::string at;
  if (!path.starts_with('/')) walk(at, folder);
  walk(at, path);
  return at.empty() ? "/" : at;
}

bool is_below(std::string_view path, std::string_view folder) {
  if (folder == "/") return true;
  if (!path.starts_with(folder)) return false;
  return path.size() == folder.size() || path[folder.size()] == '/';
}

bool names_systems_link(std::string_view path) {
  if (!path.starts_with('/')) return false;
  std::string folder = lexical_path("/", path);
  folder.resize(folder.rfind('/'));
  // Nothing else below either: everybody may write to /dev/shm, and /proc/self/cwd is anywhere.
  return folder == "/dev" || folder == "/dev/fd" ||
         (folder.starts_with("/proc/") && folder.ends_with("/fd") &&
          std::ranges::count(folder, '/') == 3);
}

}  // namespace sbx
