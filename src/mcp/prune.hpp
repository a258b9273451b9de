// Takes out of a copy what commands are not to see.
#pragma once

#include <functional>
#include <string>

#include "base/error.hpp"

namespace sbx::mcp {

/// Removes from the folder open at `folder` all that `hides` means by its relative path, with what
/// is below. Nobody else works in there.
SysResult<void> prune(int folder, const std::function<bool(const std::string&)>& hides);

}  // namespace sbx::mcp
