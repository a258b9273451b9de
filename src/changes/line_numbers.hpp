// Lines as numbers, so that they are compared in one step. Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "changes/myers.hpp"

namespace sbx::changes {

/// A number for each line, smaller than their count; equal lines have the same. Nothing when the
/// lines were chosen to make this slow. There may be 2^31 of them.
std::optional<Numbers> number_lines(const std::vector<std::string_view>& lines);

}  // namespace sbx::changes
