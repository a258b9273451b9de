// libmagic calls Markdown, Mermaid and most CSV text/plain, so among texts the name decides.
#include "report/kind.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>

#include "base/ascii.hpp"
#include "base/text.hpp"
#include "report/markup.hpp"
#include "report/picture.hpp"

namespace sbx::report {
namespace {

struct Named {
  std::string_view ending;
  Kind kind;
  std::string_view words;
  char separator = ',';
};

constexpr std::array<Named, 15> kNamed{{
    {".csv", Kind::table, "table (CSV)"},
    {".tsv", Kind::table, "table (TSV)", '\t'},
    {".svg", Kind::svg, "SVG picture"},
    {".json", Kind::json, "JSON"},
    {".jsonl", Kind::text, "JSON lines"},
    {".md", Kind::source, "Markdown source"},
    {".markdown", Kind::source, "Markdown source"},
    {".mmd", Kind::source, "Mermaid source"},
    {".mermaid", Kind::source, "Mermaid source"},
    {".html", Kind::source, "HTML source"},
    {".htm", Kind::source, "HTML source"},
    {".xml", Kind::source, "XML source"},
    {".log", Kind::text, "log"},
    {".diff", Kind::text, "diff"},
    {".patch", Kind::text, "diff"},
}};

struct Typed {
  std::string_view media_type;
  Kind kind;
  std::string_view words;
  char separator = ',';
};

constexpr std::array<Typed, 8> kTyped{{
    {"text/csv", Kind::table, "table (CSV)"},
    {"text/tab-separated-values", Kind::table, "table (TSV)", '\t'},
    {"image/svg+xml", Kind::svg, "SVG picture"},
    {"application/json", Kind::json, "JSON"},
    {"text/markdown", Kind::source, "Markdown source"},
    {"text/html", Kind::source, "HTML source"},
    {"application/xhtml+xml", Kind::source, "HTML source"},
    {"text/xml", Kind::source, "XML source"},
}};

/// No NUL, and hardly a byte that no text has: a log with one broken character is still a log.
bool is_text(std::string_view content) {
  const std::string_view sample = head(content, std::size_t{64} << 10U);
  std::size_t odd = 0;
  for (std::string_view rest = sample; !rest.empty();) {
    const std::size_t invalid = std::min(find_invalid_utf8(rest), rest.size());
    for (const char c : rest.substr(0, invalid)) {
      if (c == '\0') return false;
      odd += static_cast<unsigned char>(c) < 0x20 && !std::isspace(static_cast<unsigned char>(c)) &&
             c != '\x1b';
    }
    if (invalid == rest.size()) break;
    ++odd;
    rest.remove_prefix(invalid + 1);
  }
  return odd * 10 <= sample.size();
}

/// An <svg> after nothing but a declaration, comments and a document type.
bool begins_svg(std::string_view content) {
  return head(content, 4096).find("<svg") != std::string_view::npos;
}

Shape text_shape(const Artifact& artifact, std::string_view content) {
  Shape out{.kind = Kind::text, .words = "text"};
  const std::string path = to_lower(artifact.path);
  const auto named = std::ranges::find_if(
      kNamed, [&](const Named& entry) { return path.ends_with(entry.ending); });
  const auto typed = std::ranges::find(kTyped, to_lower(artifact.media_type), &Typed::media_type);
  if (named != kNamed.end()) {
    out.kind = named->kind;
    out.words = named->words;
    out.separator = named->separator;
  } else if (typed != kTyped.end()) {
    out.kind = typed->kind;
    out.words = typed->words;
    out.separator = typed->separator;
  }
  if (out.kind == Kind::svg) {
    if (begins_svg(content)) {
      out.media_type = "image/svg+xml";
    } else {
      out = {.kind = Kind::text, .words = "text"};
    }
  }
  return out;
}

}  // namespace

Shape shape_of(const Artifact& artifact, std::string_view content) {
  if (const auto picture = picture_of(content)) {
    Shape out{.kind = Kind::picture, .media_type = picture->media_type};
    out.words = std::string(picture->name) + " picture, " + std::to_string(picture->width) +
                " \u00d7 " + std::to_string(picture->height);
    out.width = picture->width;
    out.height = picture->height;
    if (std::uint64_t{out.width} * out.height <= kMostPixels) return out;
    out.kind = Kind::binary;
    out.words += ", too large to be drawn here";
    return out;
  }
  if (is_text(content)) return text_shape(artifact, content);
  return {};
}

bool worth_reading(const Artifact& artifact) {
  if (artifact.bytes > kReadMost) return false;
  constexpr std::array<std::string_view, 4> kNever{"video/", "audio/", "font/", "application/zip"};
  return std::ranges::none_of(
      kNever, [&](std::string_view type) { return artifact.media_type.starts_with(type); });
}

}  // namespace sbx::report
