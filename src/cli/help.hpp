// The texts of --help, and the machine-readable list that tests and completions are made from.
// Pure.
#pragma once

#include <string>

#include "cli/options.hpp"

namespace sbx::cli {

/// What `sbx` alone and `sbx --help` print.
std::string overview();
/// What `sbx VERB --help` prints; no line is longer than 80 columns.
std::string help(const VerbSpec& verb);
/// One tab-separated line for each verb (verb, name, words, summary) and each flag (flag, name,
/// argument, key, words, "repeats" or "once", verbs, help): what `sbx --list-options` prints.
std::string list_options();

}  // namespace sbx::cli
