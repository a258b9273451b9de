// The page from its doctype to its last tag. Every foreign byte passes report/markup on its way
// here.
#include <algorithm>
#include <array>
#include <utility>

#include "base/base64.hpp"
#include "base/sha256.hpp"
#include "report/card.hpp"
#include "report/facts.hpp"
#include "report/figures.hpp"
#include "report/markup.hpp"
#include "report/report.hpp"
#include "report/sections.hpp"
#include "report/style.hpp"
#include "report/verdict.hpp"

namespace sbx::report {
namespace {

/// The digest as a Content-Security-Policy names it (CSP3, 2.3.1): base64 of its bytes.
std::string style_hash() {
  const std::string hex = sha256_hex(kStyle);
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return "sha256-" + to_base64(bytes);
}

/// The charset comes first, within the first 1024 bytes, so that no other is guessed (UTF-7 was
/// guessed once). The policy comes before anything that it forbids.
std::string beginning(const Facts& facts) {
  const std::string command = facts.argv.empty() ? "sbx run" : facts.argv.front();
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src "
         "data:; style-src '" +
         style_hash() +
         "'; base-uri 'none'; form-action 'none'\">\n"
         "<meta name=\"referrer\" content=\"no-referrer\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         attribute(command, 80) + ": " + verdict_of(facts).words + "</title>\n<style>" +
         std::string(kStyle) + "</style>\n</head>\n<body>\n<div class=\"page\">\n";
}

struct Section {
  const char* id;
  std::string name;
  std::string html;
};

std::string contents(const std::vector<Section>& before, const Report& report,
                     const std::vector<Section>& after) {
  std::string out = "<nav class=\"toc\" aria-label=\"On this page\"><ul>";
  const auto link = [&out](const std::string& id, const std::string& name) {
    out += "<li><a href=\"#" + id + "\">" + name + "</a></li>";
  };
  for (const Section& section : before) link(section.id, section.name);
  if (!report.artifacts.empty())
    link("artifacts", "Artifacts (" + count_text(report.artifacts.size()) + ")");
  for (const Section& section : after) {
    if (!section.html.empty()) link(section.id, section.name);
  }
  return out + "</ul></nav>\n";
}

Result<void> put_artifacts(const Report& report, const Facts& facts, const Sink& sink) {
  if (report.artifacts.empty()) return {};
  SBX_CHECK(
      sink("<section id=\"artifacts\" aria-labelledby=\"artifacts-title\"><h2 "
           "id=\"artifacts-title\">Artifacts</h2>\n" +
           contents_of(report.artifacts)));
  std::uint64_t left = kEmbedMost;
  for (std::size_t i = 0; i < std::min(report.artifacts.size(), kArtifactsMost); ++i)
    SBX_CHECK(sink(card_of(report, i, facts.id, left)));
  return sink("</section>\n");
}

std::string ending(const Report& report, const Facts& facts) {
  std::string out = "<footer class=\"foot\"><p class=\"meta\">";
  if (!facts.id.empty()) out += "<span>run <code>" + text(facts.id, 100) + "</code></span>";
  out += "<span>sbx" + (report.sbx_version.empty() ? "" : " " + text(report.sbx_version, 40)) +
         "</span><span>this page runs no script and loads nothing</span></p></footer>\n";
  return out + "</div>\n</body>\n</html>\n";
}

}  // namespace

Result<void> render(const Report& report, const Sink& sink) {
  const Facts facts = SBX_TRY(read_facts(report.result));
  const std::vector<Section> before{{"use", "Use over time", usage_of(report, facts)},
                                    {"output", "Output", output_of(report, facts)}};
  const std::vector<Section> after{{"kept", "Changes and secrets", kept_of(facts)},
                                   {"isolation", "Isolation", isolation_of(facts)},
                                   {"denials", "Denials", denials_of(facts)}};
  SBX_CHECK(sink(beginning(facts) + headline_of(facts) + "<main>\n" +
                 key_figures_of(facts, report.limits) + contents(before, report, after) +
                 warnings_of(facts)));
  for (const Section& section : before) SBX_CHECK(sink(section.html));
  SBX_CHECK(put_artifacts(report, facts, sink));
  for (const Section& section : after) SBX_CHECK(sink(section.html));
  return sink("</main>\n" + ending(report, facts));
}

Result<std::string> render(const Report& report) {
  std::string page;
  SBX_CHECK(render(report, [&page](std::string_view piece) -> Result<void> {
    page += piece;
    return {};
  }));
  return page;
}

}  // namespace sbx::report
