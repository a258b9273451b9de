// JSON with line ends and indentation, and nothing else changed: numbers, escapes, order and
// repeated keys stay as they were written. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sbx::report {

/// nullopt: it is no JSON, or is nested so deeply that its indentation would be the most of it.
std::optional<std::string> laid_out(std::string_view json);

}  // namespace sbx::report
