// What yaml-cpp says of text that is no YAML, in words for whoever wrote it.
#pragma once

#include <string>
#include <string_view>

#include "profile/node.hpp"

namespace sbx::profile {

/// What the parser says, and where: line and column counted from 0.
struct SyntaxError {
  int line = 0;
  int column = 0;
  std::string message{};
};

/// Adds the finding for `error`, with its place in `file`, whose text is `text`.
void report_syntax(const std::string& file, std::string_view text, const SyntaxError& error,
                   Findings& findings);

}  // namespace sbx::profile
