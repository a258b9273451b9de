// The first look: a command, a verdict, and the figures that people compare.
#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "report/figures.hpp"
#include "report/markup.hpp"
#include "report/sections.hpp"
#include "report/verdict.hpp"

namespace sbx::report {
namespace {

/// Command lines can have megabytes.
constexpr std::size_t kCommandMost = 16384;
/// Of it as a heading; the rest stands below, folded.
constexpr std::size_t kHeadingMost = 300;

std::string command_of(const Facts& facts) {
  std::vector<std::string> words;
  std::size_t size = 0;
  for (const std::string& word : facts.argv) {
    words.emplace_back(head(word, kCommandMost));
    size += words.back().size() + 1;
    if (size > kCommandMost) break;
  }
  return quote_command(words);
}

/// "2026-11-23 14:18:27 UTC" of "2026-11-23T14:18:27.123Z"; anything else as it is.
std::string when(const std::string& started) {
  if (started.size() < 20 || started.size() > 30 || started[10] != 'T' || !started.ends_with('Z'))
    return text(started, 40);
  return "<time datetime=\"" + attribute(started) + "\">" + text(started.substr(0, 10)) + " " +
         text(started.substr(11, 8)) + " UTC</time>";
}

std::string exit_words(const Facts& facts) {
  if (facts.exit_code) return "exit code " + std::to_string(*facts.exit_code);
  if (facts.signal) return "signal " + signal_text(*facts.signal);
  return facts.phase == "setup" ? "the command never ran" : "no exit code";
}

/// Reasons are clauses ("it ran longer than ..."); here one stands alone.
std::string sentence(std::string words) {
  if (!words.empty() && words.front() >= 'a' && words.front() <= 'z')
    words.front() = static_cast<char>(words.front() - 'a' + 'A');
  return words;
}

std::string measured(const std::optional<double>& ms) { return ms ? time_text(*ms) : "\u2013"; }

/// How much of a limit was used, as a bar; the figure beside it says the same.
std::string bar(double share) {
  const double percent = std::clamp(std::isfinite(share) ? share * 100 : 0, 0.0, 100.0);
  return "<svg class=\"bar\" aria-hidden=\"true\"><rect class=\"all\" width=\"100%\" "
         "height=\"100%\"/><rect class=\"" +
         std::string(percent >= 90 ? "used high" : "used") + "\" width=\"" +
         number_text(percent, 1) + "%\" height=\"100%\"/></svg>";
}

std::string figure(const std::string& name, const std::string& value, const std::string& detail,
                   const std::optional<double>& share = {}) {
  return "<div><dt>" + name + "</dt><dd><b>" + value + "</b>" +
         (detail.empty() ? "" : "<span>" + detail + "</span>") + (share ? bar(*share) : "") +
         "</dd></div>\n";
}

std::string wall_figure(const Facts& facts, const Limits& limits) {
  if (!facts.wall_ms || !limits.wall_ms || *limits.wall_ms == 0)
    return figure("Wall time", measured(facts.wall_ms),
                  facts.setup_ms ? "after " + time_text(*facts.setup_ms) + " of set-up" : "");
  const auto limit = static_cast<double>(*limits.wall_ms);
  return figure("Wall time", measured(facts.wall_ms), "of " + time_text(limit),
                *facts.wall_ms / limit);
}

std::string cpu_figure(const Facts& facts) {
  if (!facts.cpu_user && !facts.cpu_system) return figure("CPU time", "\u2013", "not measured");
  const double all = facts.cpu_user.value_or(0) + facts.cpu_system.value_or(0);
  std::string detail =
      measured(facts.cpu_user) + " user, " + measured(facts.cpu_system) + " system";
  if (const double held = facts.cpu_throttled.value_or(0); held > 0)
    detail += ", held back for " + time_text(held);
  return figure("CPU time", time_text(all), detail);
}

std::string memory_figure(const Facts& facts) {
  if (!facts.memory_peak) return figure("Memory, peak", "\u2013", "not measured");
  std::string detail = "no limit";
  std::optional<double> share;
  if (facts.memory_limit) {
    detail = "of " + bytes_text(*facts.memory_limit);
    if (*facts.memory_limit > 0)
      share = static_cast<double>(*facts.memory_peak) / static_cast<double>(*facts.memory_limit);
  }
  if (const auto killed = facts.oom_kills.value_or(0); killed > 0)
    detail += ", " + count_text(killed) + " killed for it";
  return figure("Memory, peak", bytes_text(*facts.memory_peak), detail, share);
}

std::string pids_figure(const Facts& facts, const Limits& limits) {
  if (!facts.pids_peak) return figure("Processes, peak", "\u2013", "not measured");
  std::string detail;
  std::optional<double> share;
  if (limits.pids && *limits.pids > 0) {
    detail = "of " + count_text(*limits.pids);
    share = static_cast<double>(*facts.pids_peak) / static_cast<double>(*limits.pids);
  }
  if (const auto refused = facts.pids_limit_hits.value_or(0); refused > 0)
    detail += std::string(detail.empty() ? "" : ", ") + counted(refused, "fork") + " refused";
  return figure("Processes, peak", count_text(*facts.pids_peak), detail, share);
}

std::string io_figure(const Facts& facts) {
  if (!facts.io_read && !facts.io_write) return {};
  const auto shown = [](const std::optional<std::uint64_t>& bytes) {
    return bytes ? bytes_text(*bytes) : std::string("\u2013");
  };
  return figure("Disk, written", shown(facts.io_write), shown(facts.io_read) + " read");
}

/// The verdict and its reasons.
std::string outcome_of(const Facts& facts) {
  const Verdict verdict = verdict_of(facts);
  std::string out = "<p class=\"verdict " + std::string(name_of(verdict.tone)) +
                    "\"><span class=\"sign\" aria-hidden=\"true\">" + sign_of(verdict.tone) +
                    "</span> " + verdict.words + "</p>\n";
  if (!facts.reason.empty())
    out += "<p class=\"reason\"><bdi>" + text(sentence(facts.reason), 2000) + "</bdi></p>\n";
  const auto item = [](const std::string& name, const std::string& value) {
    return value.empty() ? std::string()
                         : "<span>" + name + " <bdi>" + text(value, 100) + "</bdi></span>";
  };
  return out + "<p class=\"meta\"><span>status <code>" + text(facts.status, 60) +
         "</code></span><span>" + exit_words(facts) + "</span>" +
         item("limit", facts.reason_limit) + item("observed", facts.reason_observed) + "</p>\n";
}

}  // namespace

std::string headline_of(const Facts& facts) {
  const std::string command = command_of(facts);
  std::string out = "<header class=\"top\">\n<p class=\"meta\"><span>sbx run</span>";
  if (!facts.profile.empty())
    out += "<span>profile <bdi>" + text(facts.profile, 100) + "</bdi></span>";
  if (!facts.started_at.empty()) out += "<span>" + when(facts.started_at) + "</span>";
  out += "</p>\n<h1><bdi>" + (command.empty() ? "No command" : text(command, kHeadingMost)) +
         "</bdi></h1>\n";
  if (command.size() > kHeadingMost) {
    out += "<details><summary>The whole command</summary><pre class=\"box\">\n" +
           text(command, kCommandMost) + "</pre></details>\n";
  }
  return out + outcome_of(facts) + "</header>\n";
}

std::string key_figures_of(const Facts& facts, const Limits& limits) {
  return "<section aria-label=\"Key figures\"><dl class=\"figures\">\n" +
         wall_figure(facts, limits) + cpu_figure(facts) + memory_figure(facts) +
         pids_figure(facts, limits) + io_figure(facts) + "</dl></section>\n";
}

}  // namespace sbx::report
