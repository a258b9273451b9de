// The lines of a patch: as they are for programs, or harmless, and coloured, for a terminal. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace sbx::changes {

class PatchText {
 public:
  PatchText(bool colour, bool escape) : colour_(colour), escape_(escape) {}

  /// A line that git and patch(1) skip. `text` has to be safe to print.
  void note(std::string_view text) { (text_ += "# ").append(text) += '\n'; }
  /// A line of the header of a file; names in it are quoted.
  void header(std::string_view line);
  /// A line as it is.
  void plain(std::string_view line) { text_.append(line) += '\n'; }
  /// What unified_hunks() gave.
  void hunks(std::string_view text);

  /// What there is since the last time.
  std::string take() { return std::exchange(text_, {}); }

 private:
  bool colour_;
  bool escape_;
  std::string text_;
};

}  // namespace sbx::changes
