#include "os/idmap_refusals.hpp"

#include <unistd.h>

#include "os/cgroup_file.hpp"
#include "os/host_path.hpp"
#include "os/idmap.hpp"
#include "os/mount.hpp"
#include "os/mountinfo.hpp"

namespace sbx::os {
namespace {

/// The errno for which a copy of what is at `path` cannot be mapped; 0: it can, or there is none.
int refusal(const std::string& path, int space, bool recursive) {
  const auto folder = open_path_strict(path.c_str());
  if (!folder) return 0;
  const auto tree = clone_tree(folder->get(), recursive);
  if (!tree) return 0;
  const auto mapped = idmap_tree(tree->get(), space, recursive);
  return mapped ? 0 : mapped.error().value;
}

}  // namespace

std::string refusing_mount(std::string_view mountinfo, const std::string& folder, int space) {
  for (const std::string& point : mounts_below(mountinfo, folder))
    if (refusal(point, space, false) != 0) return point;
  return {};
}

std::map<std::string, NoIdmap> idmap_refusals(const std::set<std::string>& folders,
                                              std::string_view mountinfo) {
  std::map<std::string, NoIdmap> refused;
  if (folders.empty()) return refused;
  // Which ids it maps does not matter: whether a mount can be mapped is the file system's.
  UserNamespaceMaker maker;
  const auto space = maker.make({0, 0, SBX_HOST_ID_FIRST, SBX_HOST_ID_FIRST});
  if (!space) return refused;
  for (const std::string& folder : folders)
    if (const int error = refusal(folder, space->get(), true); error != 0)
      refused[folder] = {error, refusing_mount(mountinfo, folder, space->get())};
  return refused;
}

bool refuses_idmap(const std::string& path) {
  if (::geteuid() != 0) return false;
  return !idmap_refusals({real_path(path)}, read_kernel_text("/proc/self/mountinfo")).empty();
}

}  // namespace sbx::os
