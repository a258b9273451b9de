// What becomes of a job when its process has ended: a line of results, another turn, or the end of
// the batch.
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "batch/journal.hpp"
#include "cli/batch/coordinator.hpp"
#include "cli/batch/worker.hpp"
#include "os/memory_file.hpp"
#include "os/process.hpp"

namespace sbx::cli::batch {
namespace {

using std::chrono::milliseconds;
using supervise::Status;

Error failed(std::string what, int error, std::string hint = {}) {
  return {.kind = ErrorKind::host,
          .what = std::move(what),
          .hint = std::move(hint),
          .sys_errno = error};
}

milliseconds to_ms(const ::timeval& time) {
  return milliseconds(static_cast<long long>(time.tv_sec) * 1000 + time.tv_usec / 1000);
}

std::string how_it_ended(int wait_status) {
  if (WIFSIGNALED(wait_status))
    return "was killed by signal " + std::to_string(WTERMSIG(wait_status));
  return "ended with code " + std::to_string(WEXITSTATUS(wait_status));
}

}  // namespace

/// Gives back what it had in one stage and has no more in `stage`, which comes later.
void Coordinator::advance(Live& live, Live::Stage stage) {
  const sbx::batch::Need& need = list_.jobs[live.turn.job].need;
  if (live.stage == Live::Stage::runs) admission_.release_place(need);
  const bool admitted = live.stage != Live::Stage::waits && !live.reporting;
  if (admitted && live.stage < Live::Stage::ends && stage >= Live::Stage::ends)
    admission_.release_memory(need);
  if (admitted && stage == Live::Stage::gone) admission_.release_rest(need);
  live.stage = stage;
  tally_.live = admission_.live();
}

void Coordinator::collect(Live& live) {
  const auto ended = os::wait_for(live.pid);
  live.pid = 0;
  advance(live, Live::Stage::gone);  // nobody is admitted before its result is written
  if (ended) tally_.cpu += to_ms(ended->usage.ru_utime) + to_ms(ended->usage.ru_stime);
  // It was told to end, so what it says is not how its job ends.
  const int status = ended ? ended->wait_status : 0;
  const bool has_result = ended && WIFEXITED(status) && WEXITSTATUS(status) < 2 * int{kStatuses};
  if (cut_.any()) return;
  if (has_result) {
    finish(live, WEXITSTATUS(status));
  } else if (WIFEXITED(status) && WEXITSTATUS(status) == kNoRoom) {
    give_back(live);
  } else if (WIFEXITED(status) && WEXITSTATUS(status) == kJobsChanged) {
    const auto line = line_of(list_, list_.jobs[live.turn.job]);
    cut_.error = line ? failed("a job cannot be read any more", 0) : line.error();
  } else {
    lose(live, status);
  }
}

void Coordinator::finish(Live& live, int code) {
  const auto status = static_cast<Status>(code % int{kStatuses});
  const bool complete = code < int{kStatuses};
  if (++ended_in_room_ >= room_ && room_ < most_live_) {
    ended_in_room_ = 0;
    ++room_;
  }
  ++live.turn.attempts;
  if (again(live.turn, status)) return;
  write(live, status, complete);
  if (settings_.fail_fast && (status != Status::ok || !complete) && !cut_.any()) cut_.failed = true;
}

/// As many as live now have room, and no more than they: the job is started again when one of them
/// has ended, and has the host to itself before it is told that there is not enough.
void Coordinator::give_back(const Live& live) {
  turns_.give_back(live.turn);
  room_ = std::max<std::size_t>(1, live_.size() - 1);
  ended_in_room_ = 0;
}

/// The process of a job has gone without a result: then another one writes that.
void Coordinator::lose(Live& live, int wait_status) {
  const Turn turn = live.turn;
  const std::string why = "the process of this job " + how_it_ended(wait_status);
  if (!live.reporting && turn.attempts < settings_.retries &&
      settings_.retry_on[static_cast<std::size_t>(Status::internal_error)]) {
    turns_.retry({turn.job, turn.attempts + 1});
    ++tally_.retries;
    return;
  }
  if (live.reporting)
    cut_.error = failed(why, 0);
  else
    lost_.push_back({turn, why});
}

bool Coordinator::again(const Turn& turn, Status status) {
  if (turn.attempts > settings_.retries || !settings_.retry_on[static_cast<std::size_t>(status)])
    return false;
  turns_.retry(turn);
  ++tally_.retries;
  return true;
}

void Coordinator::write(const Live& live, Status status, bool complete) {
  const auto result = os::MappedFile::map(live.result.get());
  if (!result || !result->text().ends_with('\n')) {
    cut_.error = failed("a result cannot be read", result ? 0 : result.error().value);
    return;
  }
  std::string_view text = result->text();
  text.remove_suffix(1);
  if (output_.name().empty()) screen_.clear();
  const auto written = output_.append(text, sbx::batch::kLineTail, {gate_.fd(), [this] {
                                                                      take_signals();
                                                                      return cut_.any();
                                                                    }});
  if (!written && written.error().value == EINTR) return;
  if (!written) {
    cut_.error = failed("cannot write a result", written.error().value, output_.after_failure());
    return;
  }
  ++tally_.by_status[static_cast<std::size_t>(status)];
  if (status == Status::ok && !complete) ++tally_.incomplete;
  const auto took = std::chrono::duration_cast<milliseconds>(Clock::now() - live.since);
  if (tally_.slowest_line != 0 && took <= tally_.slowest_took) return;
  tally_.slowest_line = list_.jobs[live.turn.job].line;
  tally_.slowest_took = took;
}

}  // namespace sbx::cli::batch
