#include "cli/batch/worker.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <utility>

#include "batch/job.hpp"
#include "batch/journal.hpp"
#include "cli/batch/progress.hpp"
#include "cli/refused_run.hpp"
#include "cli/say.hpp"
#include "cli/secrets.hpp"
#include "os/memory_file.hpp"
#include "os/process.hpp"
#include "supervise/supervisor.hpp"

namespace sbx::cli::batch {
namespace {

using profile::Problems;
using sbx::batch::Job;
using sbx::batch::JobInput;
using supervise::Outcome;
using supervise::Sinks;

std::unexpected<Problems> only(Error error) { return std::unexpected(Problems{std::move(error)}); }

Error failed(const char* what, int error) {
  return {.kind = ErrorKind::setup, .what = what, .sys_errno = error};
}

/// No signal for the coordinator's group is for us, but the one that says it has died; nor does it
/// end us when a command leaves its standard input before all of it is there.
void become_worker(pid_t coordinator) {
  if (!os::die_with_parent(coordinator) || ::setpgid(0, 0) != 0 || !os::reset_signals())
    os::end_process(kResultLost);
  (void)::signal(SIGPIPE, SIG_IGN);  // cannot fail for a known one
}

/// The job's bytes, or nothing: what is the coordinator's on 0, 1 and 2 is no job's.
Result<void> set_streams(const JobInput& input) {
  const os::UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null.valid()) return std::unexpected(failed("cannot open /dev/null", errno));
  os::UniqueFd bytes;
  if (input.kind == JobInput::Kind::bytes) {
    auto made = os::readable_bytes(input.text);
    if (!made)
      return std::unexpected(failed("cannot keep the job's standard input", made.error().value));
    bytes = std::move(*made);
  }
  const int in = bytes.valid() ? bytes.get() : null.get();
  if (::dup2(in, STDIN_FILENO) < 0 || ::dup2(null.get(), STDOUT_FILENO) < 0 ||
      ::dup2(null.get(), STDERR_FILENO) < 0)
    return std::unexpected(failed("cannot set the standard streams", errno));
  return {};
}

/// Until the coordinator says that there is room for what the command may take.
Result<void> await_turn(int coordinator, int interrupt) {
  ::pollfd watched[] = {{coordinator, POLLIN, 0}, {interrupt, POLLIN, 0}};
  while (watched[0].revents == 0) {
    if (::poll(watched, 2, -1) < 0 && errno != EINTR)
      return std::unexpected(failed("cannot wait for the job's turn", errno));
    if (watched[1].revents != 0)
      return std::unexpected(failed("interrupted while waiting for the job's turn", EINTR));
  }
  char turn = 0;
  if (::read(coordinator, &turn, 1) != 1)
    return std::unexpected(failed("the coordinator has gone", EPIPE));
  return {};
}

/// Everything that `sbx run` does from its profile on.
/// `refused`: the plan that is told of when there will be none.
std::expected<Outcome, Problems> run_job(const Task& task, const Job& job, plan::Plan& refused,
                                         Sinks sinks) {
  const std::string& id = refused.run_id;
  if (auto set = set_streams(job.input); !set) return only(std::move(set).error());
  Grounds grounds = SBX_TRY(task.policies->take(task.entry->policy, task.entry->profile, job));
  SBX_CHECK(add_job(job, task.policies->cwd(), grounds.profile));
  tell_words(grounds.profile, job.argv, refused);
  look_again(grounds);
  const plan::Plan plan = SBX_TRY(plan_run(grounds, invocation_of(job, id)));
  auto secrets = read_secrets(plan, grounds.facts.env);
  // Whether one stands in the command's words nobody can tell without them all.
  if (!secrets) return refused_run(empty_plan(id, plan.profile_name, {}), secrets.error(), sinks);
  task.policies->forget_secrets(grounds);
  sinks.secrets = &*secrets;
  sinks.await_turn = [&task](int interrupt) { return await_turn(task.coordinator_fd, interrupt); };
  // A coordinator that has gone needs no answer.
  const auto tell = [&task](const char& word) {
    (void)::send(task.coordinator_fd, &word, 1, MSG_NOSIGNAL);
  };
  sinks.payload_ended = [tell] { tell(kCommandEnded); };
  sinks.tree_ended = [tell] { tell(kTreeEnded); };
  return supervise::run_sandbox(plan, sinks);
}

Outcome outcome_of(const Task& task, const Job& job, supervise::Nanos started) {
  Sinks sinks;
  sinks.results.push_back(task.result);
  sinks.own_results = true;
  sinks.started = started;
  sinks.registered = true;
  const auto id = make_run_id();
  Problems problems;
  if (!id) problems.push_back(id.error());
  if (!task.lost.empty()) problems.push_back(Error{.kind = ErrorKind::internal, .what = task.lost});
  plan::Plan refused = empty_plan(id.value_or(""), task.policies->name_of(job), {});
  if (problems.empty()) {
    auto outcome = run_job(task, job, refused, sinks);
    if (outcome) return *std::move(outcome);
    problems = std::move(outcome).error();
  }
  return refused_run(refused, problems, sinks);
}

/// Was it the host, or a limit of ours, that had nothing left for it? What the job itself may not
/// have looks the same, but does so when it is alone, too.
bool lacked_room(const Outcome& outcome) {
  return !outcome.launched && outcome.status == supervise::Status::setup_error && outcome.error &&
         is_want_of_room(outcome.error->sys_errno);
}

}  // namespace

bool is_want_of_room(int error) {
  // ETOOMANYREFS, unix(7): RLIMIT_NOFILE also bounds what a user has sent and nobody received yet.
  return error == EAGAIN || error == EMFILE || error == ENFILE || error == ENOMEM ||
         error == ENOSPC || error == ETOOMANYREFS;
}

void work(const Task& task) noexcept {
  try {
    const supervise::Nanos started = supervise::now_ns();
    become_worker(task.coordinator);
    const auto line = line_of(*task.list, *task.entry);
    if (!line) os::end_process(kJobsChanged);
    const auto job = sbx::batch::read_job(*line, task.entry->line, task.list->name);
    if (!job) os::end_process(kJobsChanged);
    const std::string head =
        sbx::batch::line_head(job->id, task.entry->line, task.entry->digest, task.attempt);
    if (!write_all(task.result, head)) os::end_process(kResultLost);
    const Outcome outcome = outcome_of(task, *job, started);
    if (!task.alone && lacked_room(outcome)) os::end_process(kNoRoom);
    static_assert(2 * kStatuses <= kResultLost);
    if (outcome.result_lost) os::end_process(kResultLost);
    os::end_process(static_cast<int>(outcome.status) +
                    (outcome.undelivered.empty() ? 0 : int{kStatuses}));
  } catch (const std::exception&) {
    os::end_process(kResultLost);
  }
}

}  // namespace sbx::cli::batch
