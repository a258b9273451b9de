// From argv to Arguments.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.hpp"

namespace sbx::cli {

/// Parses what follows `sbx VERB`. `cwd` is the caller's directory. Fails with every mistake found,
/// each one line and a hint; never prints.
std::expected<Arguments, profile::Problems> parse(const VerbSpec& verb,
                                                  std::vector<std::string> words,
                                                  std::string_view cwd);

/// Only where to report to, from a line that may be wrong elsewhere.
Reporting find_reporting(const std::vector<std::string>& words);

/// The error for a first word that is no verb, with a suggestion.
Error unknown_verb(std::string_view word);

}  // namespace sbx::cli
