// One pass; what lies past the bounds is read, to be counted, and not kept.
#include "report/csv.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/text.hpp"
#include "report/markup.hpp"

namespace sbx::report {
namespace {

class Reader {
 public:
  Reader(char separator, const Bounds& bounds) : separator_(separator), bounds_(bounds) {}

  Table read(std::string_view bytes) {
    if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
    while (at_ < bytes.size()) step(bytes);
    if (column_ > 0 || !cell_.empty() || seen_) end_row();
    return std::move(table_);
  }

 private:
  void step(std::string_view bytes) {
    const char c = bytes[at_++];
    const bool next_quote = at_ < bytes.size() && bytes[at_] == '"';
    if (quoted_ && c == '"' && next_quote) {
      put('"');
      ++at_;
    } else if (c == '"' && (quoted_ || !seen_)) {
      quoted_ = !quoted_;
      seen_ = true;
    } else if (!quoted_ && c == separator_) {
      end_cell();
      ++column_;
    } else if (!quoted_ && c == '\n') {
      end_row();
    } else if (quoted_ || c != '\r' || at_ == bytes.size() || bytes[at_] != '\n') {
      put(c);
    }
  }

  void put(char c) {
    seen_ = true;
    // Some more than is shown, so that the cut tells that it is one.
    if (cell_.size() <= bounds_.cell + 4) cell_ += c;
  }

  void end_cell() {
    if (column_ < bounds_.columns && kept_ < bounds_.rows) row_.push_back(cell_);
    cell_.clear();
    quoted_ = false;
    seen_ = false;
  }

  void end_row() {
    const bool empty = column_ == 0 && cell_.empty() && !seen_;
    end_cell();
    if (!empty) {
      if (kept_ < bounds_.rows) {
        const std::uint64_t columns = column_ + 1;
        if (columns > bounds_.columns)
          table_.more_columns = std::max(table_.more_columns, columns - bounds_.columns);
        table_.rows.push_back(std::move(row_));
        ++kept_;
      } else {
        ++table_.more_rows;
      }
    }
    row_.clear();
    column_ = 0;
  }

  char separator_;
  Bounds bounds_;
  Table table_;
  std::vector<std::string> row_;
  std::string cell_;
  std::size_t at_ = 0;
  std::size_t kept_ = 0;
  std::uint64_t column_ = 0;
  bool quoted_ = false;
  bool seen_ = false;  ///< something of this cell has been
};

bool is_number(std::string_view cell) {
  cell = trim(cell);
  if (cell.ends_with('%')) cell = trim(cell.substr(0, cell.size() - 1));
  if (cell.empty() || cell.size() > 40) return false;
  if (cell.find_first_not_of("0123456789+-.,eE") != std::string_view::npos) return false;
  return cell.find_first_of("0123456789") != std::string_view::npos && cell.front() != 'e' &&
         cell.front() != 'E';
}

}  // namespace

Table read_table(std::string_view bytes, char separator, const Bounds& bounds) {
  return Reader(separator, bounds).read(bytes);
}

char guess_separator(std::string_view bytes, char otherwise) {
  constexpr std::array kSeparators{',', ';', '\t'};
  std::array<std::size_t, kSeparators.size()> counts{};
  bool quoted = false;
  for (const char c : head(bytes, 65536)) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '\n') break;
    for (std::size_t i = 0; i < kSeparators.size(); ++i) counts.at(i) += c == kSeparators.at(i);
  }
  const auto most = std::ranges::max_element(counts);
  return *most == 0 ? otherwise : kSeparators.at(static_cast<std::size_t>(most - counts.begin()));
}

bool is_numeric(const Table& table, std::size_t column) {
  bool any = false;
  for (std::size_t i = 1; i < table.rows.size(); ++i) {
    const auto& row = table.rows[i];
    if (column >= row.size() || trim(row[column]).empty()) continue;
    if (!is_number(row[column])) return false;
    any = true;
  }
  return any;
}

}  // namespace sbx::report
