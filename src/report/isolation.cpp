// What stood between the command and the host, what it ran into, and what of it was left over.
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "report/figures.hpp"
#include "report/markup.hpp"
#include "report/sections.hpp"

namespace sbx::report {
namespace {

/// Of any list; a payload can fill some of them.
constexpr std::size_t kRowsMost = 200;

std::string section(const std::string& id, const std::string& title, const std::string& body) {
  return "<section id=\"" + id + "\" aria-labelledby=\"" + id + "-title\"><h2 id=\"" + id +
         "-title\">" + title + "</h2>\n" + body + "</section>\n";
}

std::string row(const std::string& name, const std::string& value) {
  return "<div><dt>" + name + "</dt><dd>" + value + "</dd></div>\n";
}

std::string list(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < std::min(words.size(), kRowsMost); ++i)
    out += "<li>" + text(words[i], 100) + "</li>";
  return "<ul class=\"words\">" + out + "</ul>";
}

std::string more(std::size_t all) {
  if (all <= kRowsMost) return {};
  return "<p class=\"note\">\u2026 and " + count_text(all - kRowsMost) + " more.</p>\n";
}

std::string landlock(const IsolationFacts& isolation) {
  if (!isolation.landlock_abi) return "\u2013";
  return *isolation.landlock_abi == 0 ? "not in use" : "ABI " + count_text(*isolation.landlock_abi);
}

std::string degraded(const IsolationFacts& isolation) {
  if (isolation.degraded.empty()) return "nothing";
  std::string out;
  for (const std::string& control : isolation.degraded) {
    const bool weaker =
        std::ranges::find(isolation.approximate, control) != isolation.approximate.end();
    out += "<li class=\"lost\">" + text(control, 100) +
           (weaker ? " (something weaker stands in)" : " (missing)") + "</li>";
  }
  return "<ul class=\"words\">" + out + "</ul>";
}

std::string or_dash(const std::string& words) {
  return words.empty() ? "\u2013" : text(words, 200);
}

std::string denial_row(const DenialFacts& denial) {
  const std::string call = "<code>" + text(denial.operation, 200) + "</code>" +
                           (denial.target.empty() ? "" : " " + text(denial.target, 200));
  return "<tr><td>" + call + "</td><td><bdi>" + or_dash(denial.comm) +
         "</bdi></td><td class=\"n\">" + count_text(denial.count) + "</td><td>" +
         (denial.passed ? "let through" : "refused") + "</td><td>" +
         (denial.allow_with.empty() ? "no line of a profile allows it"
                                    : "<code>" + text(denial.allow_with, 300) + "</code>") +
         "</td></tr>\n";
}

}  // namespace

std::string isolation_of(const Facts& facts) {
  const IsolationFacts& isolation = facts.isolation;
  return section(
      "isolation", "Isolation",
      "<dl class=\"rows\">\n" + row("Tier", or_dash(isolation.tier)) +
          row("Enforced", isolation.enforced.empty() ? "\u2013" : list(isolation.enforced)) +
          row("Degraded", degraded(isolation)) +
          row("Namespaces", isolation.namespaces.empty() ? "none" : list(isolation.namespaces)) +
          row("cgroup", or_dash(isolation.cgroup)) + row("seccomp", or_dash(isolation.seccomp)) +
          row("Landlock", landlock(isolation)) + row("User inside", or_dash(isolation.user)) +
          row("Network", or_dash(facts.network)) + "</dl>\n");
}

std::string denials_of(const Facts& facts) {
  if (!facts.denials)
    return section("denials", "Denials",
                   "<p class=\"note\">Nobody could listen for refused calls on this host.</p>\n");
  if (facts.denials->empty())
    return section("denials", "Denials", "<p class=\"note\">Nothing was refused.</p>\n");
  std::string rows;
  for (std::size_t i = 0; i < std::min(facts.denials->size(), kRowsMost); ++i)
    rows += denial_row((*facts.denials)[i]);
  std::string heads;
  for (const char* name : {"What", "Program", "Times", "Outcome", "Profile line that allows it"})
    heads += "<th scope=\"col\"" +
             std::string(name == std::string_view("Times") ? " class=\"n\"" : "") + ">" + name +
             "</th>";
  return section(
      "denials", "Denials",
      "<div class=\"box table wide\" tabindex=\"0\" role=\"region\" aria-label=\"Denials\"><table>"
      "\n<thead><tr>" +
          heads + "</tr></thead>\n<tbody>\n" + rows + "</tbody></table></div>\n" +
          more(facts.denials->size()));
}

std::string warnings_of(const Facts& facts) {
  if (facts.warnings.empty()) return {};
  std::string rows;
  for (std::size_t i = 0; i < std::min(facts.warnings.size(), kRowsMost); ++i)
    rows += "<li><bdi>" + text(facts.warnings[i], 2000) + "</bdi></li>\n";
  return section("warnings", "Warnings",
                 "<ul class=\"warnings\">\n" + rows + "</ul>\n" + more(facts.warnings.size()));
}

std::string kept_of(const Facts& facts) {
  std::string rows;
  if (facts.changes) {
    const ChangesFacts& changes = *facts.changes;
    std::string words = counted(changes.added, "file") + " added, " + count_text(changes.modified) +
                        " modified, " + count_text(changes.deleted) + " deleted (" +
                        bytes_text(changes.bytes) + ")";
    if (changes.applied) words += ", applied to the workspace";
    if (!changes.applied && !changes.run.empty()) {
      const std::array<std::string, 3> command{"sbx", "diff", changes.run};
      words += "; <code>" + text(quote_command(command), 200) + "</code> shows them";
    }
    rows += row("Workspace", words);
  }
  for (std::size_t i = 0; i < std::min(facts.redactions.size(), kRowsMost); ++i) {
    const Redaction& redaction = facts.redactions[i];
    rows += row("Masked", "<code>" + text(redaction.secret, 200) + "</code> " +
                              counted(redaction.count, "time"));
  }
  if (rows.empty()) return {};
  return section("kept", "Changes and secrets", "<dl class=\"rows\">\n" + rows + "</dl>\n");
}

}  // namespace sbx::report
