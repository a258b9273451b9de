#include "cli/timing_text.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/table.hpp"

namespace sbx::cli {
namespace {

using supervise::Nanos;
using supervise::TimedRow;
using supervise::Timing;

constexpr std::size_t kDearest = 5;

std::string in_ms(Nanos duration) {
  char text[64];
  (void)std::snprintf(text, sizeof text, "%.3f",
                      static_cast<double>(duration) / supervise::kMillisecond);
  return text;
}

std::string in_us(const std::optional<Nanos>& duration) {
  if (!duration) return "-";
  char text[64];
  (void)std::snprintf(text, sizeof text, "%.0f", static_cast<double>(*duration) / 1000);
  return text;
}

/// So that figures stand below each other, as Table does not do it.
void align_right(std::vector<std::string>& column) {
  std::size_t width = 0;
  for (const std::string& cell : column) width = std::max(width, cell.size());
  for (std::string& cell : column) cell.insert(0, width - cell.size(), ' ');
}

/// A wait is none: it is the work of another process, which has its own row.
Nanos work(const TimedRow& row) { return row.waits ? -1 : row.took.value_or(-1); }

/// The shortest time that is marked.
Nanos dearest(const std::vector<TimedRow>& rows) {
  std::vector<Nanos> times;
  for (const TimedRow& row : rows)
    if (work(row) >= 0) times.push_back(work(row));
  std::ranges::sort(times, std::ranges::greater{});
  return times.empty() ? 0 : times[std::min(times.size(), kDearest) - 1];
}

std::string what(const TimedRow& row) {
  constexpr std::size_t kLongest = 4096;
  std::string text = printable(row.text, kLongest);
  if (row.error != 0) {
    text += ": failed (" + errno_name(row.error) + ")";
  } else if (!row.took) {
    text += ": cut off";
  }
  return text;
}

std::string table_text(const std::vector<TimedRow>& rows, std::size_t width) {
  std::vector<std::string> offsets{"MS"};
  std::vector<std::string> times{"US"};
  std::vector<std::string> numbers{"STEP"};
  for (const TimedRow& row : rows) {
    offsets.push_back(in_ms(row.start));
    times.push_back(in_us(row.took));
    numbers.push_back(row.step ? std::to_string(*row.step) : "-");
  }
  for (auto* column : {&offsets, &times, &numbers}) align_right(*column);
  const Nanos marked = dearest(rows);
  Table table({offsets[0], times[0], " ", "PROCESS", numbers[0], "WHAT"});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    table.add({offsets[i + 1], times[i + 1], work(rows[i]) >= marked ? "*" : " ",
               std::string(rows[i].process), numbers[i + 1], what(rows[i])});
  }
  return table.text(width);
}

std::string sum(const Timing& timing) {
  const std::string total = "in all " + in_ms(timing.total) + " ms\n";
  if (!timing.exec) return "no exec; " + total;
  const Nanos command = timing.command.value_or(0);
  return "to the exec " + in_ms(*timing.exec) + " ms, the command " + in_ms(command) +
         " ms, after its end " + in_ms(timing.total - *timing.exec - command) + " ms; " + total;
}

}  // namespace

std::string timing_text(const Timing& timing, std::string_view run_id, std::size_t width) {
  return "sbx: timing of " + std::string(run_id) +
         ": ms since the start, us taken; * the five dearest that do not just wait\n" +
         table_text(timing.rows, width) + sum(timing);
}

}  // namespace sbx::cli
