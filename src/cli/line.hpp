// The words of a command line told apart, before anybody looks at what they mean.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "cli/options.hpp"

namespace sbx::cli {

/// One occurrence of a flag; the value of one that takes none is "true".
struct Flag {
  const OptionSpec* option = nullptr;
  std::string value;
  bool operator==(const Flag&) const = default;
};

struct Line {
  std::vector<Flag> flags;         ///< in the order of the line
  std::vector<std::string> words;  ///< all others: operands, and what looks like an unknown flag
  bool operator==(const Line&) const = default;
};

/// "--memory=1G" -> "--memory".
std::string_view flag_name(std::string_view word);

Error usage_error(std::string what, std::string hint);
std::string usage_hint(const VerbSpec& verb);

/// Reads a line of known flags, each as --flag, --flag=VALUE or --flag VALUE, and plain words:
/// nearly every line that a program writes. Nothing for any other. A start would pay 50 us for
/// CLI11's parser alone, mostly for a locale. (plain_line.cpp)
std::optional<Line> read_plain_line(const VerbSpec& verb, const std::vector<std::string>& words);

/// Reads any line, by CLI11; of one that both can read they make the same. (any_line.cpp)
Result<Line> read_any_line(const VerbSpec& verb, const std::vector<std::string>& words);

}  // namespace sbx::cli
