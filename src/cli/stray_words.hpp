// Words of the command line where there is no place for them, and what they may be meant for.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/options.hpp"

namespace sbx::cli {

bool takes_command(Verb verb);

/// A hint at `--ro /usr /x` or `--tmpfs /x 64M`, which is two words where others have such a flag,
/// and one here; empty: `words` have nothing of the kind.
std::string find_parted(const VerbSpec& verb, const std::vector<std::string>& words);

/// `rest`: words that no operand can be.
Error stray_words(const VerbSpec& verb, const Arguments& arguments,
                  std::span<const std::string> rest);

}  // namespace sbx::cli
