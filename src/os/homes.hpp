// Which folders are the caller's home.
#pragma once

#include <string>
#include <vector>

#include "base/host_facts.hpp"

namespace sbx::os {

/// `facts.home` and the one that `accounts` (passwd(5)) has for `facts.euid`, each as it is without
/// links, or as it is written when it cannot be reached. Empty: none is known.
std::vector<std::string> homes_of(const HostFacts& facts, const char* accounts = "/etc/passwd");

}  // namespace sbx::os
