// What yaml-cpp says of text that is no YAML, in words for whoever wrote it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/node.hpp"

namespace sbx::profile {

/// What the parser says, and where: line and column counted from 0.
struct SyntaxError {
  int line = 0;
  int column = 0;
  std::string message{};
  std::vector<Origin> brackets{};  ///< where the lists and maps in brackets begin that it is inside
};

/// `text` from the value on, where it begins with an anchor, as a value's mark does.
std::string_view without_anchor(std::string_view text);

/// Adds the finding for `error`, with its place in `file`, whose text is `text`. True: a bracket
/// is never closed, or by another kind, and took all that follows it for its own.
bool report_syntax(const std::string& file, std::string_view text, const SyntaxError& error,
                   Findings& findings);

/// Adds a finding for each text without quotes that goes on in a further line.
void report_continued(std::span<const Origin> texts, Findings& findings);

}  // namespace sbx::profile
