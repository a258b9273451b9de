// A card always tells path, size and digest; what it cannot show, it tells how to get.
#include "report/card.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "report/figures.hpp"
#include "report/kind.hpp"
#include "report/markup.hpp"
#include "report/preview.hpp"

namespace sbx::report {
namespace {

constexpr std::size_t kPathMost = 1024;

std::string get_command(const std::string& run, const std::string& path) {
  const std::array<std::string, 5> words{"sbx", "artifacts", "get", run.empty() ? "RUN" : run,
                                         path};
  return "<code>" + text(quote_command(words), 4 * kPathMost) + "</code>";
}

std::string type_of(const Artifact& artifact) {
  return artifact.media_type.empty() ? "unknown type" : text(artifact.media_type, 100);
}

struct Body {
  std::string words{};  ///< what it is
  std::string html{};
};

Body not_shown(std::string_view why) {
  return {.html = "<p class=\"note\">Not shown: " + std::string(why) + ".</p>\n"};
}

Body page_is_full() { return not_shown("the page has enough to show already"); }

Body body_of(const Report& report, const Artifact& artifact, std::uint64_t& left) {
  if (artifact.bytes > kReadMost) return not_shown("larger than " + bytes_text(kReadMost));
  if (!report.read || !worth_reading(artifact)) return not_shown("not a kind that a page can show");
  if (left == 0) return page_is_full();
  const auto content = report.read(artifact);
  if (!content) return not_shown(text(content.error().to_line(), 1000));
  // A reader that gives more than the list says is not to fill the page either.
  if (content->size() > kReadMost) return not_shown("larger than " + bytes_text(kReadMost));
  const Shape shape = shape_of(artifact, *content);
  Body out = not_shown("not a kind that a page can show");
  out.words = shape.words;
  std::string html = preview_of(shape, head(artifact.path, kPathMost), *content);
  if (html.empty()) return out;
  if (html.size() > left) {
    left = 0;  // and nothing further is read
    out.html = page_is_full().html;
    return out;
  }
  left -= html.size();
  out.html = std::move(html);
  return out;
}

}  // namespace

std::string contents_of(const std::vector<Artifact>& artifacts) {
  const std::size_t listed = std::min(artifacts.size(), kArtifactsMost);
  std::string out =
      "<div class=\"box table wide\" tabindex=\"0\" role=\"region\" aria-label=\"List of "
      "artifacts\">"
      "<table>\n<thead><tr><th scope=\"col\">Path</th><th scope=\"col\" class=\"type\">Type</th>"
      "<th scope=\"col\" class=\"n\">Size</th></tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < listed; ++i) {
    const Artifact& artifact = artifacts[i];
    out += "<tr><td class=\"path\"><a href=\"#artifact-" + std::to_string(i + 1) + "\"><bdi>" +
           text(artifact.path, 200) + "</bdi></a></td><td class=\"type\">" + type_of(artifact) +
           "</td><td class=\"n\">" + bytes_text(artifact.bytes) + "</td></tr>\n";
  }
  out += "</tbody></table></div>\n";
  if (listed < artifacts.size()) {
    out += "<p class=\"note\">\u2026 and " + counted(artifacts.size() - listed, "more artifact") +
           ", not on this page.</p>\n";
  }
  return out;
}

std::string card_of(const Report& report, std::size_t index, const std::string& run,
                    std::uint64_t& left) {
  const Artifact& artifact = report.artifacts[index];
  const Body body = body_of(report, artifact, left);
  const std::string number = std::to_string(index + 1);
  std::string out = "<article class=\"card\" id=\"artifact-" + number +
                    "\" aria-labelledby=\"name-" + number + "\">\n<header><h3 id=\"name-" + number +
                    "\"><bdi>" + text(artifact.path, kPathMost) + "</bdi></h3><p class=\"meta\">";
  if (!body.words.empty()) out += body.words + " \u00b7 ";
  out += type_of(artifact) + " \u00b7 <span title=\"" + counted(artifact.bytes, "byte") + "\">" +
         bytes_text(artifact.bytes) + "</span></p></header>\n" + body.html + "<footer><p>" +
         get_command(run, artifact.path) + "</p>";
  if (!artifact.sha256.empty())
    out +=
        "<p><span class=\"label\">sha256</span> <code>" + text(artifact.sha256, 64) + "</code></p>";
  return out + "</footer>\n</article>\n";
}

}  // namespace sbx::report
