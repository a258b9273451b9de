// What a verb does not know: what may be meant, and the error about it.
#pragma once

#include <string_view>

#include "base/error.hpp"
#include "cli/options.hpp"

namespace sbx::cli {

/// The flag of `verb` that `word` is likely to mean; empty: none.
std::string_view flag_meant(const VerbSpec& verb, std::string_view word);

Error unknown_flag(const VerbSpec& verb, std::string_view word);

}  // namespace sbx::cli
