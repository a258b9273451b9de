// The beginning of a table as RFC 4180 has it (quotes, line ends in them), or with tabs. Nothing is
// an error: a quote that nobody closes goes to the end. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sbx::report {

struct Bounds {
  std::size_t rows = 201;  ///< with the heading
  std::size_t columns = 40;
  std::size_t cell = 200;  ///< bytes
};

struct Table {
  std::vector<std::vector<std::string>> rows{};  ///< within the bounds
  std::uint64_t more_rows = 0;
  std::uint64_t more_columns = 0;  ///< of the widest row
};

Table read_table(std::string_view bytes, char separator, const Bounds& bounds = {});

/// Which of these the first line has most of, outside of quotes: comma, semicolon, tab.
char guess_separator(std::string_view bytes, char otherwise);

/// Has every cell of the column below the heading a number, or nothing?
bool is_numeric(const Table& table, std::size_t column);

}  // namespace sbx::report
