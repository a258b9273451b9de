// What an artifact is shown as. Its own bytes decide: a media type and a name are only hints, and
// what is shown as a picture begins as one. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "report/report.hpp"

namespace sbx::report {

enum class Kind { picture, svg, table, json, source, text, binary };

struct Shape {
  Kind kind = Kind::binary;
  std::string media_type{};             ///< picture, svg: for the data: URL; one of ours
  char separator = ',';                 ///< table
  std::string words{};                  ///< "PNG picture, 800 × 600", "Mermaid source"
  std::uint32_t width = 0, height = 0;  ///< picture
};

Shape shape_of(const Artifact& artifact, std::string_view content);

/// A picture that would take more than this to draw is not shown.
inline constexpr std::uint64_t kMostPixels = 50'000'000;

/// Could `artifact` be shown at all? Asked before its bytes are read.
bool worth_reading(const Artifact& artifact);

}  // namespace sbx::report
