// `sbx ps` and `sbx stats`: this user's live runs, and what they use.
#include <unistd.h>

#include <algorithm>
#include <thread>

#include <nlohmann/json.hpp>

#include "artifacts/staging.hpp"
#include "base/json_line.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "changes/store.hpp"
#include "cli/commands/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/live_runs.hpp"
#include "cli/say.hpp"
#include "cli/table.hpp"
#include "images/store.hpp"
#include "os/pty.hpp"

namespace sbx::cli {
namespace {

using Json = nlohmann::ordered_json;
using std::chrono::milliseconds;

constexpr milliseconds kPatience{1000};
constexpr milliseconds kShortestInterval{100};

/// A run's object; of what does not answer, what its file tells.
Json object_of(const Reply& reply, const std::string& given) {
  if (reply.kind == Reply::Kind::accepted) return Json::parse(reply.text, nullptr, false);
  Json object = {{"id", reply.run}, {"state", "unresponsive"}};
  if (!given.empty()) object["name"] = given;
  return object;
}

/// Every one of `runs` that has not ended, by age.
Json describe(const LiveRuns& live, std::span<const supervise::RunFile> runs) {
  Json list = Json::array();
  const auto replies = live.ask(runs, {supervise::Action::stats}, kPatience);
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (replies[i].kind != Reply::Kind::ended) list.push_back(object_of(replies[i], runs[i].given));
  return list;
}

/// The member at `path`, or nullptr: the other end may be another version of sbx.
const Json* member(const Json& run, std::initializer_list<const char*> path) {
  const Json* at = &run;
  for (const char* key : path) {
    if (!at->is_object() || !at->contains(key)) return nullptr;
    at = &(*at)[key];
  }
  return at;
}

std::optional<std::uint64_t> number(const Json& run, std::initializer_list<const char*> path) {
  const Json* const found = member(run, path);
  if (found == nullptr || !found->is_number_unsigned()) return std::nullopt;
  return found->get<std::uint64_t>();
}

std::string text(const Json& run, std::initializer_list<const char*> path) {
  const Json* const found = member(run, path);
  constexpr std::size_t kLongest = 4096;
  return found != nullptr && found->is_string() ? printable(found->get<std::string>(), kLongest)
                                                : "-";
}

std::string count(const Json& run, std::initializer_list<const char*> path) {
  const auto found = number(run, path);
  return found ? std::to_string(*found) : "-";
}

std::string bytes(const Json& run, std::initializer_list<const char*> path) {
  return short_bytes(number(run, path));
}

std::string duration(const Json* ms) {
  if (ms == nullptr || !ms->is_number()) return "-";
  return short_duration(milliseconds(ms->get<long long>()));
}

std::string cpu_used(const Json& run) {
  const Json* const user = member(run, {"cpu_ms", "user"});
  const Json* const system = member(run, {"cpu_ms", "system"});
  if (user == nullptr || system == nullptr || !user->is_number() || !system->is_number())
    return "-";
  const Json sum = user->get<double>() + system->get<double>();
  return duration(&sum);
}

/// A table of runs, with a column for names where one has been given.
class RunTable {
 public:
  RunTable(const Json& runs, std::vector<std::string> heads)
      : names_(
            std::ranges::any_of(runs, [](const Json& run) { return text(run, {"name"}) != "-"; })),
        table_(with("RUN", "NAME", std::move(heads))) {}
  void add(const Json& run, std::vector<std::string> row) {
    table_.add(with(text(run, {"id"}), text(run, {"name"}), std::move(row)));
  }
  [[nodiscard]] std::string text_for(int terminal) const {
    return table_.text(os::terminal_columns(terminal));
  }

 private:
  [[nodiscard]] std::vector<std::string> with(std::string id, std::string name,
                                              std::vector<std::string> row) const {
    if (names_) row.insert(row.begin(), std::move(name));
    row.insert(row.begin(), std::move(id));
    return row;
  }

  bool names_;
  Table table_;
};

std::string ps_table(const Json& runs) {
  RunTable table(runs, {"PID", "STATE", "PROFILE", "ELAPSED", "MEMORY", "COMMAND"});
  for (const Json& run : runs)
    table.add(run, {count(run, {"pid"}), text(run, {"state"}), text(run, {"profile"}),
                    duration(member(run, {"elapsed_ms"})), bytes(run, {"memory", "bytes"}),
                    text(run, {"command"})});
  return table.text_for(STDOUT_FILENO);
}

std::string stats_table(const Json& runs) {
  RunTable table(runs, {"STATE", "ELAPSED", "CPU", "THROTTLED", "MEMORY", "PEAK", "LIMIT", "PIDS",
                        "LIMIT", "READ", "WRITTEN"});
  for (const Json& run : runs)
    table.add(run, {text(run, {"state"}), duration(member(run, {"elapsed_ms"})), cpu_used(run),
                    duration(member(run, {"cpu_ms", "throttled"})), bytes(run, {"memory", "bytes"}),
                    bytes(run, {"memory", "peak_bytes"}), bytes(run, {"memory", "limit_bytes"}),
                    count(run, {"pids", "current"}), count(run, {"pids", "limit"}),
                    bytes(run, {"io", "read_bytes"}), bytes(run, {"io", "write_bytes"})});
  return table.text_for(STDOUT_FILENO);
}

std::string line_of(const Json& json) { return json_line(json) + "\n"; }

/// What `stats` was asked for: one run, or all there are at the moment.
struct Wanted {
  const LiveRuns& live;
  std::optional<supervise::RunFile> one;

  [[nodiscard]] Json look() const {
    if (one) return describe(live, {&*one, 1});
    return describe(live, live.all());
  }
};

int print_stats(const Wanted& wanted, const Json& runs, bool json) {
  if (!json) return print(stats_table(runs));
  return print(line_of(wanted.one ? runs.front() : runs));
}

/// Until the run has ended (or none is left), or standard output has.
int watch(const Wanted& wanted, bool json, milliseconds interval) {
  const bool repaint = !json && ::isatty(STDOUT_FILENO) == 1;
  while (true) {
    const Json runs = wanted.look();
    if (runs.empty()) return kSuccess;
    if (repaint && print("\x1b[H\x1b[2J") != kSuccess) return kFailed;  // home, then clear
    if (const int printed = print_stats(wanted, runs, json); printed != kSuccess) return printed;
    std::this_thread::sleep_for(interval);
  }
}

}  // namespace

int ps_command(const Arguments& arguments) {
  const auto live = LiveRuns::open();
  if (!live) return fail_with(live.error());
  const Json runs = describe(*live, live->all());
  const int printed = print(arguments.reporting.json ? line_of(runs) : ps_table(runs));
  // Of runs that are not listed any more, and could not do it themselves.
  images::remove_leftovers();
  artifacts::Staging::remove_leftovers();
  changes::Store::remove_leftovers();
  return printed;
}

int stats_command(const Arguments& arguments) {
  const auto interval = parse_duration(arguments.interval.empty() ? "1s" : arguments.interval);
  if (!interval || *interval < kShortestInterval)
    return fail_with({ErrorKind::usage, "no interval: " + quote(arguments.interval), "--interval",
                      "100ms or more, such as 2s"});
  const auto live = LiveRuns::open();
  if (!live) return fail_with(live.error());
  Wanted wanted{*live, {}};
  if (!arguments.operands.empty()) {
    auto found = live->find(arguments.operands[0]);
    if (!found) return fail_with(found.error());
    wanted.one = std::move(*found);
  }
  if (arguments.watch) return watch(wanted, arguments.reporting.json, *interval);
  const Json runs = wanted.look();
  if (wanted.one && runs.empty())
    return fail_with({ErrorKind::usage, "the run " + wanted.one->run + " has just ended"});
  return print_stats(wanted, runs, arguments.reporting.json);
}

}  // namespace sbx::cli
