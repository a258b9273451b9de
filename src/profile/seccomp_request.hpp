// A profile's `seccomp` section in the words of the filter's maker. Pure.
#pragma once

#include "profile/profile.hpp"
#include "seccomp/request.hpp"

namespace sbx::profile {

seccomp::Request seccomp_request(const Seccomp& section);

}  // namespace sbx::profile
