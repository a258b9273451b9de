// Tables for people, and the forms of the figures in them. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sbx::cli {

/// "-", "0B", "1.5K", "117M": three digits at most before the unit (powers of two).
std::string short_bytes(std::optional<std::uint64_t> bytes);
/// "0.4s", "12.0s", "3m12s", "1h02m".
std::string short_duration(std::chrono::milliseconds duration);

class Table {
 public:
  explicit Table(std::vector<std::string> heads) : rows_{std::move(heads)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// Columns as wide as their widest entry, two spaces between. Lines end with a line of a terminal
  /// `width` characters wide (0: never): the first one that has room for all but the last column,
  /// and for the head of that.
  [[nodiscard]] std::string text(std::size_t width) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace sbx::cli
