// Keys that nobody declared, known by their shape: the names that `redact_patterns` takes. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace sbx::redact {

/// All of them, in the order of the manual, which says what each finds; the last is `all`.
std::span<const std::string_view> pattern_names();

/// The names that are meant, each once and in the order of pattern_names(): `all` is every other.
/// An error (profile) for an unknown one, with the nearest.
Result<std::vector<std::string_view>> meant_patterns(std::span<const std::string> names);

}  // namespace sbx::redact
