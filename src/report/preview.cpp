// Foreign markup is only ever text here; what draws itself is an <img> with a data: URL, where a
// browser runs no script and loads nothing.
#include "report/preview.hpp"

#include <algorithm>

#include "base/base64.hpp"
#include "report/csv.hpp"
#include "report/figures.hpp"
#include "report/json_layout.hpp"
#include "report/markup.hpp"

namespace sbx::report {
namespace {

/// The first `kLinesMost` lines, and of them no more than `kTextMost` bytes.
std::string_view shown_part(std::string_view content) {
  const std::string_view shown = head(content, kTextMost);
  std::size_t at = 0;
  for (std::size_t line = 0; line < kLinesMost; ++line) {
    const std::size_t end = shown.find('\n', at);
    if (end == std::string_view::npos) return shown;
    at = end + 1;
  }
  return shown.substr(0, at);
}

std::string note(std::string_view words) {
  return "<p class=\"note\">" + std::string(words) + "</p>\n";
}

std::string box(std::string_view content, std::string_view label) {
  // The parser drops a line end right behind <pre> (HTML, 13.2.6.4.7): this one, not the content's.
  return "<pre class=\"box\" tabindex=\"0\" role=\"region\" aria-label=\"" + attribute(label) +
         "\">\n" + lines(content) + "</pre>\n";
}

std::string picture(const Shape& shape, std::string_view path, std::string_view content) {
  std::string size;
  if (shape.width > 0) {
    size = " width=\"" + std::to_string(shape.width) + "\" height=\"" +
           std::to_string(shape.height) + "\"";
  }
  return "<div class=\"picture\"><img" + size + " alt=\"Picture " + attribute(path, 200) +
         "\" decoding=\"async\" src=\"data:" + shape.media_type + ";base64," + to_base64(content) +
         "\"></div>\n";
}

/// Entities can stand for each other a billion times over; no plotting program writes any.
bool draws_safely(std::string_view svg) {
  return svg.size() <= kSvgMost && svg.find("<!ENTITY") == std::string_view::npos;
}

std::string table_row(const Table& table, std::size_t index, const std::vector<bool>& numeric) {
  const bool heading = index == 0;
  const Bounds bounds;
  std::string out = "<tr>";
  for (std::size_t i = 0; i < numeric.size(); ++i) {
    const auto& row = table.rows[index];
    out += heading ? "<th scope=\"col\"" : "<td";
    if (numeric[i]) out += " class=\"n\"";
    out += ">";
    if (i < row.size()) out += text(row[i], bounds.cell);
    out += heading ? "</th>" : "</td>";
  }
  return out + "</tr>\n";
}

std::string table_box(const Shape& shape, std::string_view path, std::string_view content) {
  const Table table = read_table(content, guess_separator(content, shape.separator));
  if (table.rows.empty()) return note("The table is empty.");
  std::size_t columns = 0;
  for (const auto& row : table.rows) columns = std::max(columns, row.size());
  std::vector<bool> numeric(columns);
  for (std::size_t i = 0; i < columns; ++i) numeric[i] = is_numeric(table, i);
  std::string out = "<div class=\"box table\" tabindex=\"0\" role=\"region\" aria-label=\"Table " +
                    attribute(path, 200) + "\"><table class=\"data\">\n<thead>" +
                    table_row(table, 0, numeric) + "</thead>\n<tbody>\n";
  for (std::size_t i = 1; i < table.rows.size(); ++i) out += table_row(table, i, numeric);
  out += "</tbody></table></div>\n";
  std::string more;
  if (table.more_rows > 0) more = "and " + counted(table.more_rows, "more row");
  if (table.more_columns > 0)
    more +=
        std::string(more.empty() ? "" : ", ") + "and " + counted(table.more_columns, "more column");
  return more.empty() ? out : out + note("\u2026 " + more + ".");
}

std::string json_box(std::string_view path, std::string_view content) {
  constexpr std::size_t kLaidOutMost = std::size_t{1} << 20U;
  if (content.size() <= kLaidOutMost) {
    if (const auto laid = laid_out(content)) return text_box(*laid, path);
  }
  return text_box(content, path);
}

}  // namespace

std::string text_box(std::string_view content, std::string_view label) {
  if (content.empty()) return note("It is empty.");
  const std::string_view shown = shown_part(content);
  std::string out = box(shown, label);
  if (shown.size() < content.size()) {
    const std::string_view rest = content.substr(shown.size());
    const auto ends =
        static_cast<std::uint64_t>(std::ranges::count(rest, '\n')) + (rest.ends_with('\n') ? 0 : 1);
    out += note("\u2026 and " + counted(ends, "more line") + " (" + bytes_text(rest.size()) +
                "), not on this page.");
  }
  return out;
}

std::string output_box(std::string_view content, std::string_view label) {
  if (content.size() <= kTextMost) return box(content, label);
  const std::string_view first = head(content, kTextMost / 2);
  const std::string_view last = tail(content, kTextMost / 2);
  return box(first, label) +
         note("\u2026 " + bytes_text(content.size() - first.size() - last.size()) +
              " in between are not on this page.") +
         box(last, "End of " + std::string(label));
}

std::string preview_of(const Shape& shape, std::string_view path, std::string_view content) {
  switch (shape.kind) {
    case Kind::picture:
      return picture(shape, path, content);
    case Kind::svg:
      if (draws_safely(content)) return picture(shape, path, content);
      return note("Too large to be drawn here, or it declares entities: its source.") +
             text_box(content, path);
    case Kind::table:
      return table_box(shape, path, content);
    case Kind::json:
      return json_box(path, content);
    case Kind::source:
    case Kind::text:
      return text_box(content, path);
    case Kind::binary:
      break;
  }
  return {};
}

}  // namespace sbx::report
