// A change set as the text that is kept of it: JSON, in which whatever may be any bytes (names,
// targets, values) is hexadecimal where it is not UTF-8. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "changes/change.hpp"

namespace sbx::changes {

/// One line.
std::string to_manifest(const ChangeSet& set);

/// Error: it is not what to_manifest() writes.
Result<ChangeSet> from_manifest(std::string_view text);

}  // namespace sbx::changes
