// Files that are part of the binary: completions and schemas.
#pragma once

#include <string_view>

namespace sbx::cli {

/// The text of the file that had this name when sbx was built; empty when there was none.
std::string_view embedded(std::string_view name);

}  // namespace sbx::cli
