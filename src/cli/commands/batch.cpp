// `sbx batch`: many runs, one JSON job a line in, one result a line out.
#include <unistd.h>

#include <algorithm>
#include <bitset>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/batch/at_once.hpp"
#include "cli/batch/coordinator.hpp"
#include "cli/commands/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/files.hpp"
#include "cli/guard_process.hpp"
#include "cli/say.hpp"
#include "os/cgroup_place.hpp"
#include "os/memory_room.hpp"
#include "os/own_memory.hpp"
#include "os/probe.hpp"

namespace sbx::cli {
namespace {

using batch::Coordinator;
using batch::Cut;
using batch::JobList;
using batch::kStatuses;
using batch::Output;
using batch::Policies;
using batch::Settings;
using batch::Tally;
using supervise::Status;

constexpr int kSomeNotOk = 1;
constexpr int kSignalBase = 128;
constexpr std::size_t kMostJobs = 10'000;
constexpr std::size_t kMostRetries = 1000;
/// For us, the processes of the jobs, and whoever else is on the host.
constexpr std::uint64_t kReserve = std::uint64_t{64} << 20U;

Result<std::size_t> read_count(const std::string& text, std::string_view flag, std::size_t least,
                               std::size_t most) {
  const auto count = parse_number<std::size_t>(text);
  if (count && *count >= least && *count <= most) return *count;
  return std::unexpected(Error{ErrorKind::usage, quote(text) + " is no number for it",
                               std::string(flag),
                               std::to_string(least) + " to " + std::to_string(most)});
}

Result<std::bitset<kStatuses>> read_statuses(const std::vector<std::string>& names) {
  std::vector<std::string_view> known;
  for (std::size_t i = 0; i < kStatuses; ++i)
    if (static_cast<Status>(i) != Status::ok)
      known.push_back(supervise::to_string(static_cast<Status>(i)));
  std::bitset<kStatuses> statuses;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(known, name);
    if (found == known.end()) {
      const std::string_view near = nearest_name(name, known);
      return std::unexpected(
          Error{ErrorKind::usage,
                quote(name) + " is no status that is not ok" +
                    (near.empty() ? "" : "; did you mean " + std::string(near) + "?"),
                "--retry-on",
                (name.contains(',') ? "give the flag once for each of a list; statuses: "
                                    : "statuses: ") +
                    join(known, ", ")});
    }
    statuses.set(static_cast<std::size_t>(found - known.begin()) + 1);
  }
  // The command never ran, or nobody knows how: another time may go better.
  if (names.empty()) {
    statuses.set(static_cast<std::size_t>(Status::setup_error));
    statuses.set(static_cast<std::size_t>(Status::internal_error));
  }
  return statuses;
}

/// What is asked for, and what one job alone can have at all.
struct Bounds {
  Settings settings;
  sbx::batch::Capacity total;
};

Result<Bounds> read_bounds(const Arguments& arguments) {
  Bounds bounds;
  Settings& settings = bounds.settings;
  const auto cores = static_cast<std::size_t>(os::usable_cpus());
  settings.capacity.jobs =
      arguments.jobs.empty() ? cores : SBX_TRY(read_count(arguments.jobs, "--jobs", 1, kMostJobs));
  settings.capacity.cores = static_cast<double>(cores);
  const os::MemoryRoom room = os::memory_room();
  // Not 0, which nothing would be more than: with hardly any, jobs run one by one.
  settings.capacity.memory =
      std::max<std::uint64_t>(1, room.available - std::min(room.available, kReserve));
  bounds.total = {room.total, static_cast<double>(cores), 1};
  if (!arguments.total_memory.empty()) {
    const auto bytes = parse_bytes(arguments.total_memory);
    if (!bytes || *bytes == 0)
      return std::unexpected(Error{ErrorKind::usage,
                                   bytes ? "jobs need more than no memory" : bytes.error(),
                                   "--total-memory", "a size such as 4G"});
    settings.capacity.memory = bounds.total.memory = *bytes;
    bounds.total.said = true;
  }
  if (!arguments.retry.empty())
    settings.retries = SBX_TRY(read_count(arguments.retry, "--retry", 0, kMostRetries));
  else if (!arguments.retry_on.empty())
    return std::unexpected(Error{ErrorKind::usage, "no job is started again without --retry",
                                 "--retry-on", "say how often: --retry N"});
  settings.retry_on = SBX_TRY(read_statuses(arguments.retry_on));
  settings.fail_fast = arguments.fail_fast;
  settings.progress = !arguments.quiet;
  return bounds;
}

/// Which jobs have a result already; each of those that FILE has must be as it was.
class Resumed {
 public:
  Resumed(const JobList& list, Tally& tally) : list_(list), tally_(tally) {
    for (std::uint32_t i = 0; i < list.jobs.size(); ++i) by_id_.emplace_back(list.jobs[i].id, i);
    std::ranges::sort(by_id_);
    done_.resize(list.jobs.size());
  }

  Result<void> take(const sbx::batch::Written& written) {
    const std::string name = "the job " + quote(written.id);
    const auto found = std::ranges::lower_bound(by_id_, sbx::batch::digest_of(written.id), {},
                                                [](const auto& pair) { return pair.first; });
    if (found == by_id_.end() || found->first != sbx::batch::digest_of(written.id))
      return wrong("here is a result of " + name + ", which " + quote(list_.name) + " has not");
    if (list_.jobs[found->second].digest != written.digest)
      return wrong(name + " is another one now: line " +
                   std::to_string(list_.jobs[found->second].line) + " of " + quote(list_.name) +
                   " has changed");
    if (done_[found->second]) return wrong(name + " has a second result here");
    done_[found->second] = true;
    if (!written.profile.empty() &&
        sbx::batch::digest_of(written.profile) != list_.jobs[found->second].profile)
      ++tally_.otherwise;
    ++tally_.before;
    for (std::size_t i = 0; i < kStatuses; ++i)
      if (supervise::to_string(static_cast<Status>(i)) == written.status) ++tally_.by_status[i];
    if (written.undelivered && written.status == supervise::to_string(Status::ok))
      ++tally_.incomplete;
    return {};
  }
  [[nodiscard]] bool done(std::size_t job) const { return done_[job]; }

 private:
  static Result<void> wrong(std::string what) {
    return std::unexpected(Error{ErrorKind::usage,
                                 std::move(what),
                                 {},
                                 "--resume goes on with the same jobs; for others, name another "
                                 "file"});
  }

  const JobList& list_;
  Tally& tally_;
  std::vector<std::pair<sbx::batch::Digest, std::uint32_t>> by_id_;
  std::vector<bool> done_;
};

/// The jobs that are to run, in order.
Result<std::vector<std::uint32_t>> still_to_run(const JobList& list, Output& output, bool resume,
                                                Tally& tally) {
  std::vector<std::uint32_t> waiting;
  tally.total = list.jobs.size();
  if (!resume) {
    for (std::uint32_t i = 0; i < list.jobs.size(); ++i) waiting.push_back(i);
    return waiting;
  }
  Resumed resumed(list, tally);
  SBX_CHECK(output.read_back([&](const sbx::batch::Written& one) { return resumed.take(one); }));
  for (std::uint32_t i = 0; i < list.jobs.size(); ++i)
    if (!resumed.done(i)) waiting.push_back(i);
  return waiting;
}

std::string name_of(const JobList& list, std::size_t line) {
  const auto entry =
      std::ranges::find(list.jobs, line, [](const batch::Entry& one) { return one.line; });
  if (entry == list.jobs.end()) return {};
  const auto text = batch::line_of(list, *entry);
  const auto job =
      text ? sbx::batch::read_job(*text, line, list.name) : std::unexpected(profile::Problems{});
  return job ? job->id : std::to_string(line);
}

int exit_code(const Cut& cut, const Tally& tally) {
  if (cut.error) return kFailed;
  if (cut.signal != 0) return kSignalBase + cut.signal;
  return tally.ok() == tally.total ? kSuccess : kSomeNotOk;
}

/// A group with a process in it hands no controllers down: as `sbx run` does for itself, we leave
/// the one that is ours alone, for us and the processes of all jobs. Where that fails, they say
/// what it means for them.
void make_room(const std::optional<CgroupHome>& group) {
  if (!group) return;
  std::string at;
  const auto made = os::make_room(*group, "sbx-batch-" + std::to_string(::getpid()), at);
  if (!made)
    say("cannot leave our cgroup, so that jobs could divide it: " + at + ": " +
        std::system_category().message(made.error().value));
}

int run_all(const Arguments& arguments, const Bounds& bounds, JobList& list, Policies& policies) {
  for (const std::string& lacks : policies.degraded()) say(lacks);
  auto output = Output::open(arguments.output, arguments.resume);
  if (!output) return fail_with(output.error());
  Tally tally;
  auto waiting = still_to_run(list, *output, arguments.resume, tally);
  if (!waiting) return fail_with(waiting.error());
  if (tally.otherwise > 0)
    say("warning: " + std::to_string(tally.otherwise) + " of " + std::to_string(tally.before) +
        " jobs that have a result ran under another profile, or other flags, than they would "
        "now; their results stay");
  const std::size_t at_once = bounds.settings.capacity.jobs;
  const std::size_t by_files = batch::open_files_for(at_once);
  if (!arguments.quiet)
    for (const std::string& text : batch::held_up(list, *waiting, at_once, by_files)) say(text);
  make_room(policies.own_group());
  Coordinator coordinator(list, policies, *output, bounds.settings, *std::move(waiting), tally);
  const Cut cut = coordinator.run();
  const Tally& end = coordinator.tally();
  if (cut.error) say(cut.error->to_string());
  if (!arguments.quiet)
    say(batch::summary_text(end, name_of(list, end.slowest_line), output->name()));
  if (cut.any() && end.done() < end.total && output->resumable() && !arguments.quiet)
    say("the same command with --resume does the rest");
  return exit_code(cut, end);
}

}  // namespace

int batch_command(const Arguments& arguments) {
  if (arguments.operands.empty()) return wrong_operand(arguments);
  if (arguments.resume && (arguments.output.empty() || arguments.output == "-"))
    return fail_with({ErrorKind::usage,
                      "--resume needs -o FILE",
                      {},
                      "the file that has the results of the jobs that are done"});
  if (const auto guarded = guard_process(); !guarded) return fail_with(guarded.error());
  if (const auto opened = open_log(arguments); !opened) return fail_with(opened.error());
  auto bounds = read_bounds(arguments);
  if (!bounds) return fail_with(bounds.error());
  auto cwd = current_directory();
  if (!cwd) return fail_with(cwd.error());
  auto list = batch::open_jobs(arguments.operands[0]);
  if (!list) return fail_with(list.error());
  Policies policies(arguments, {os::caller_environment(), *std::move(cwd)});
  if (const auto checked = batch::check_jobs(*list, policies, bounds->total); !checked) {
    say(checked.error());
    return kFailed;
  }
  if (arguments.dry_run)
    return print(std::to_string(list->jobs.size()) +
                 (list->jobs.size() == 1 ? " job, " : " jobs, ") + std::to_string(policies.size()) +
                 (policies.size() == 1 ? " policy" : " policies") + ", no problem\n");
  bounds->settings.overlap = policies.independent();
  os::release_heap();  // the longest line took six times its length, and each job inherits what is
                       // left
  return run_all(arguments, *bounds, *list, policies);
}

}  // namespace sbx::cli
