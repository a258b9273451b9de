// The values of a run's secrets, taken from where the profile says.
#pragma once

#include <expected>
#include <map>
#include <string>
#include <vector>

#include "os/secret_memory.hpp"
#include "plan/plan.hpp"
#include "profile/load.hpp"

namespace sbx::cli {

/// In the order of Plan::secrets. Closes our memory to others first, and takes the variables that
/// they come from out of our own environment and out of `env`, its copy. Every problem when there
/// are some.
std::expected<std::vector<os::SecretMemory>, profile::Problems> read_secrets(
    const plan::Plan& plan, std::map<std::string, std::string>& env);

/// Takes the variable `name` out of our environment, and wipes what it was there and in `env`.
void forget_variable(const std::string& name, std::map<std::string, std::string>& env);

}  // namespace sbx::cli
