#include "base/cgroup_home.hpp"

#include "base/text.hpp"

namespace sbx {

std::string own_v1_groups_command(const std::vector<std::string>& folders) {
  return "for g in " + join(folders, " ") +
         "; do g=$g/user-$(id -u); sudo mkdir -p $g && sudo chown -R $(id -u) $g && "
         "echo $$ >$g/tasks; done";
}

}  // namespace sbx
