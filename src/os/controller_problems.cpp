// libcgroup knows the kernel's table of controllers; only this file includes it.
#include "os/controller_problems.hpp"

#include <libcgroup.h>

#include <cstdarg>

#include "os/cgroup_homes.hpp"

namespace sbx::os {
namespace {

void discard_log(void*, int, const char*, va_list) {}

/// name -> is it enabled; empty when /proc/cgroups cannot be read.
std::map<std::string, bool> kernel_controllers() {
  std::map<std::string, bool> found;
  // Its default logger writes to stdout, which belongs to the payload.
  ::cgroup_set_logger(&discard_log, 0, nullptr);
  void* handle = nullptr;
  struct ::controller_data data{};
  for (int code = ::cgroup_get_all_controller_begin(&handle, &data); code == 0;
       code = ::cgroup_get_all_controller_next(&handle, &data))
    found[data.name] = data.enabled != 0;
  ::cgroup_get_all_controller_end(&handle);
  return found;
}

}  // namespace

std::map<std::string, std::string> controller_problems(const std::vector<std::string>& wanted,
                                                       const std::vector<CgroupHome>& homes) {
  std::map<std::string, std::string> problems;
  std::map<std::string, bool> kernel;
  for (const std::string& name : wanted) {
    if (name == "hugetlb" || name == "cpuacct" || name == "blkio" || any_lists(homes, name))
      continue;
    const std::string v1_name = name == "io" ? "blkio" : name;
    if (name == "io" && any_lists(homes, v1_name)) continue;
    if (kernel.empty()) kernel = kernel_controllers();
    const auto known = kernel.find(v1_name);
    // Not in the table means nothing: newer kernels leave out what only v2 has.
    if (known != kernel.end() && !known->second)
      problems[name] = std::string("the controller ")
                           .append(name)
                           .append(" was switched off when this kernel was booted (cgroup_disable=")
                           .append(v1_name)
                           .append(")");
  }
  return problems;
}

}  // namespace sbx::os
