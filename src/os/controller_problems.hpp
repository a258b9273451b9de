// Why the kernel has no use of a controller at all; asked only when one is missing.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/host_facts.hpp"

namespace sbx::os {

/// Of `wanted`, those that none of `homes` lists, usable or not: name -> why, as far as the kernel
/// tells.
std::map<std::string, std::string> controller_problems(const std::vector<std::string>& wanted,
                                                       const std::vector<CgroupHome>& homes);

}  // namespace sbx::os
