// What must hold of a profile's bytes before a YAML parser sees them: size, UTF-8, no control
// bytes, no directives but `%YAML 1.2`. Pure.
#pragma once

#include <string>
#include <string_view>

#include "profile/node.hpp"

namespace sbx::profile {

/// False, with a finding, when `text` must not be parsed.
bool check_text(const std::string& file, std::string_view text, Findings& findings);

}  // namespace sbx::profile
