// One line of a file of jobs or of results as JSON, and nothing that two readers could take for two
// things. Pure; the library's exceptions stop here.
#pragma once

#include <cstddef>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace sbx::batch {

inline constexpr std::size_t kDeepestJson = 32;

/// The value that `text` is. Errors, kind usage and without a place: it is no JSON (with the byte
/// where), a key stands twice in one object, more than kDeepestJson brackets are open.
Result<nlohmann::json> parse_strictly(std::string_view text);

}  // namespace sbx::batch
