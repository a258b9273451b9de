#include "cli/table.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "base/utf8.hpp"

namespace sbx::cli {
namespace {

std::string cut(std::string line, std::size_t width) {
  if (width == 0 || count_characters(line) <= width) return line;
  std::size_t kept = 0;
  std::size_t at = 0;
  while (at < line.size() && (kept < width || continues_character(line[at])))
    if (!continues_character(line[at++])) ++kept;
  line.resize(at);
  return line;
}

}  // namespace

std::string short_bytes(std::optional<std::uint64_t> bytes) {
  if (!bytes) return "-";
  constexpr std::array kUnits{"B", "K", "M", "G", "T", "P", "E"};
  auto value = static_cast<double>(*bytes);
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  char text[32];
  (void)std::snprintf(text, sizeof text, unit > 0 && value < 9.95 ? "%.1f%s" : "%.0f%s", value,
                      kUnits[unit]);
  return text;
}

std::string short_duration(std::chrono::milliseconds duration) {
  const auto ms = static_cast<long long>(duration.count());
  const long long seconds = ms / 1000;
  char text[64];
  if (seconds < 60)
    (void)std::snprintf(text, sizeof text, "%lld.%llds", seconds, ms % 1000 / 100);
  else if (seconds < 3600)
    (void)std::snprintf(text, sizeof text, "%lldm%02llds", seconds / 60, seconds % 60);
  else
    (void)std::snprintf(text, sizeof text, "%lldh%02lldm", seconds / 3600, seconds / 60 % 60);
  return text;
}

std::string Table::text(std::size_t width) const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], count_characters(row[i]));
  std::size_t least = count_characters(rows_.front().back());
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) least += widths[i] + 2;
  if (width > 0) width *= (least + width - 1) / width;  // whole lines of the terminal
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - count_characters(row[i]) + 2, ' ');
    }
    out += cut(std::move(line), width) + "\n";
  }
  return out;
}

}  // namespace sbx::cli
