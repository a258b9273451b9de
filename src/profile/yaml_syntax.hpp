// What yaml-cpp says of text that is no YAML, in words for whoever wrote it.
#pragma once

#include <yaml-cpp/exceptions.h>

#include <string>
#include <string_view>

#include "profile/node.hpp"

namespace sbx::profile {

/// Adds the finding for `error`, with its place in `file`, whose text is `text`.
void report_syntax(const std::string& file, std::string_view text, const YAML::Exception& error,
                   Findings& findings);

}  // namespace sbx::profile
