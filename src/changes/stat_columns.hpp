// The layout of `git diff --stat`: names, figures, and a bar of + and - that fits the line. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "changes/diff_view.hpp"
#include "changes/line_diff.hpp"

namespace sbx::changes {

struct StatRow {
  std::string name{};                  ///< safe to print
  std::optional<LineCounts> counts{};  ///< nothing: no lines were compared
  std::string binary{};                ///< the sizes; empty: it is not binary
  std::vector<std::string> words{};    ///< after the figures, commas between
  std::vector<std::string> remarks{};  ///< after the words, in their own parentheses
  bool is_folder = false;
};

/// A line for each row. Names that are too long lose their begin; words may be longer than the
/// line.
std::string stat_columns(const std::vector<StatRow>& rows, const ViewOptions& options);

}  // namespace sbx::changes
