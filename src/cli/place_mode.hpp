// SRC:/DST:ro is how docker and podman have it, and would be a place of that name.
#pragma once

#include <string_view>

#include "base/error.hpp"

namespace sbx::cli {

/// `text`, an argument of `flag`, without a mode behind its place that the flag has itself. Any
/// other mode there is an error. Pure.
Result<std::string_view> without_mode(std::string_view flag, std::string_view text);

}  // namespace sbx::cli
