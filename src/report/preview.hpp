// The contents of an artifact as HTML, bounded. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "report/kind.hpp"

namespace sbx::report {

/// Of text no more than this is shown.
inline constexpr std::size_t kTextMost = std::size_t{256} << 10U;
inline constexpr std::size_t kLinesMost = 4000;
/// SVG is drawn at every look, by a program that its author chose.
inline constexpr std::uint64_t kSvgMost = 4ULL << 20U;

/// Text in a box that scrolls; `label` names it to those who cannot see it.
std::string text_box(std::string_view content, std::string_view label);

/// The beginning and the end, for output.
std::string output_box(std::string_view content, std::string_view label);

/// `path` is for labels. Empty: a page cannot show it.
std::string preview_of(const Shape& shape, std::string_view path, std::string_view content);

}  // namespace sbx::report
