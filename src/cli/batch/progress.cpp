#include "cli/batch/progress.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "base/text.hpp"
#include "cli/table.hpp"

namespace sbx::cli::batch {
namespace {

using std::chrono::milliseconds;
using supervise::Status;

constexpr std::size_t kWidestBar = 30;
constexpr std::size_t kNarrowestBar = 8;

std::string one_decimal(double number) {
  char text[48];
  (void)std::snprintf(text, sizeof text, "%.1f", number);
  return text;
}

/// Jobs a second, of those that ran here.
double rate(const Tally& tally) {
  const double seconds = static_cast<double>(tally.elapsed.count()) / 1000;
  const auto here = static_cast<double>(tally.done() - tally.before);
  return seconds <= 0 ? 0 : here / seconds;
}

std::string bar(const Tally& tally, std::size_t cells) {
  const std::size_t full = tally.total == 0 ? cells : cells * tally.done() / tally.total;
  std::string out = "[" + std::string(full, '=');
  if (full < cells) out += ">" + std::string(cells - full - 1, ' ');
  return out + "]";
}

}  // namespace

std::size_t Tally::done() const {
  return std::accumulate(by_status.begin(), by_status.end(), std::size_t{0});
}

std::size_t Tally::ok() const {
  return by_status[static_cast<std::size_t>(Status::ok)] - incomplete;
}

std::string progress_line(const Tally& tally, std::size_t width) {
  const double speed = rate(tally);
  std::string words = std::to_string(tally.done()) + "/" + std::to_string(tally.total);
  if (const std::size_t bad = tally.done() - tally.ok(); bad > 0)
    words += "  " + std::to_string(bad) + " not ok";
  words += "  " + std::to_string(tally.live) + " live  " + one_decimal(speed) + "/s";
  if (speed > 0 && tally.done() < tally.total)
    words += "  ETA " + short_duration(milliseconds(static_cast<long long>(
                            static_cast<double>(tally.total - tally.done()) / speed * 1000)));
  constexpr std::size_t kAround = 3;  // brackets and a space
  if (width >= words.size() + kAround + kNarrowestBar)
    words = bar(tally, std::min(kWidestBar, width - words.size() - kAround)) + " " + words;
  return words.substr(0, width);
}

std::string summary_text(const Tally& tally, const std::string& slowest,
                         const std::string& results) {
  std::string out = std::to_string(tally.total) + (tally.total == 1 ? " job: " : " jobs: ");
  std::string counts;
  for (std::size_t i = 0; i < tally.by_status.size(); ++i)
    if (tally.by_status[i] > 0)
      counts += (counts.empty() ? "" : ", ") + std::to_string(tally.by_status[i]) + " " +
                std::string(supervise::to_string(static_cast<Status>(i)));
  if (const std::size_t left = tally.total - tally.done(); left > 0)
    counts += (counts.empty() ? "" : ", ") + std::to_string(left) + " left";
  out += counts.empty() ? "nothing to do" : counts;
  if (tally.incomplete > 0)
    out += "; of " + std::to_string(tally.incomplete) + " ok not all is kept or applied";
  if (tally.before > 0) out += " (" + std::to_string(tally.before) + " of them before)";
  out += "\n" + short_duration(tally.elapsed) + ", " + one_decimal(rate(tally)) + " jobs/s, CPU " +
         short_duration(tally.cpu);
  if (tally.retries > 0) out += ", " + std::to_string(tally.retries) + " started again";
  if (!slowest.empty())
    out += "; slowest: " + quote(slowest) + ", " + short_duration(tally.slowest_took);
  if (!results.empty()) out += "\nresults: " + quote(results);
  return out + "\n";
}

}  // namespace sbx::cli::batch
