// What a filtered network reaches, in words; nothing of any other. A proxy's password is not shown.
#pragma once

#include <string>

#include "plan/plan.hpp"

namespace sbx::plan {

/// Lines that begin with "network:".
std::string network_text(const Plan& plan);
/// `,"network":{...}`
std::string network_json(const Plan& plan);

}  // namespace sbx::plan
