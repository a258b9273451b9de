// What an occurrence of a secret is, said a second time without automata: every place of a text is
// tried with every form, byte by byte. And whether an output is what it must be.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redact_testing {

struct Span {
  std::size_t start = 0;
  std::size_t end = 0;
};

/// Ends of all occurrences of `value` that begin at `from`, in any form.
std::vector<std::size_t> ends_of(std::string_view text, std::size_t from, std::string_view value);

/// The values, those of several lines with CRLF too, and their lines of eight bytes or more without
/// the spaces around them.
std::vector<std::string> with_lines(const std::vector<std::string>& values);

/// All occurrences of all values; those that overlap made one.
std::vector<Span> occurrences(std::string_view text, const std::vector<std::string>& values);

/// nullopt: `out` is `text` with every span masked, of whose first bytes `let_out` at most remain.
/// Else what is wrong with it.
std::optional<std::string> wrong(std::string_view text, const std::vector<Span>& spans,
                                 std::string_view out, std::size_t let_out);

}  // namespace redact_testing
