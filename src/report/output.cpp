// Two streams, as text. What the payload writes is most of what an attacker writes.
#include <algorithm>

#include "report/figures.hpp"
#include "report/preview.hpp"
#include "report/sections.hpp"

namespace sbx::report {
namespace {

std::string stream_of(const std::string& name, const StreamFacts& stream,
                      const std::optional<std::string>& captured) {
  const std::optional<std::string>& content = stream.text ? stream.text : captured;
  std::string out = "<article class=\"stream\"><h3>" + name + "</h3><p class=\"meta\">";
  if (stream.bytes) {
    out += bytes_text(*stream.bytes);
  } else if (content) {
    out += bytes_text(content->size());
  }
  if (stream.truncated) out += " \u00b7 cut by sbx at its limit";
  out += "</p>\n";
  if (stream.bytes == 0 || (content && content->empty()))
    return out + "<p class=\"note\">Nothing was written.</p></article>\n";
  if (!content) return out + "<p class=\"note\">The text was not kept.</p></article>\n";
  return out + output_box(*content, name) + "</article>\n";
}

}  // namespace

std::string output_of(const Report& report, const Facts& facts) {
  return "<section id=\"output\" aria-labelledby=\"output-title\"><h2 "
         "id=\"output-title\">Output</h2>\n" +
         stream_of("Standard output", facts.out, report.out) +
         stream_of("Standard error", facts.err, report.err) + "</section>\n";
}

}  // namespace sbx::report
