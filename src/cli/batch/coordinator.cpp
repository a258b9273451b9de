#include "cli/batch/coordinator.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "cli/batch/at_once.hpp"
#include "cli/batch/worker.hpp"
#include "os/memory_file.hpp"
#include "os/process.hpp"

namespace sbx::cli::batch {
namespace {

using std::chrono::milliseconds;

/// How long a job's process may take to end its run before it is killed.
constexpr milliseconds kPatience{5000};

/// Of the processes of jobs at the same time. Where a user may have few processes, sandboxes that
/// wait must not take those that commands need.
std::size_t most_live(std::size_t places) {
  constexpr std::size_t kProcesses = 8;  // ours, init, the command, and some that it starts
  ::rlimit limit{};
  if (::getrlimit(RLIMIT_NPROC, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return kLivePerPlace * places;
  return std::clamp<std::size_t>(limit.rlim_cur / kProcesses, places, kLivePerPlace * places);
}

Error failed(std::string what, int error, std::string hint = {}) {
  return {.kind = ErrorKind::host,
          .what = std::move(what),
          .hint = std::move(hint),
          .sys_errno = error};
}

}  // namespace

Coordinator::Coordinator(JobList& list, Policies& policies, Output& output,
                         const Settings& settings, std::vector<std::uint32_t> waiting,
                         const Tally& tally)
    : list_(list),
      policies_(policies),
      output_(output),
      settings_(settings),
      turns_(std::move(waiting)),
      most_live_(most_live(settings.capacity.jobs)),
      room_(most_live_),
      admission_(settings.capacity),
      screen_(settings.progress),
      tally_(tally) {}

Cut Coordinator::run() {
  if (const auto opened = gate_.open(); !opened) {
    cut_.error = failed("cannot watch for signals", opened.error().value);
    return cut_;
  }
  (void)gate_.watch_all();  // without it, only job control is lost
  while (true) {
    admit();
    if (cut_.any()) end_live();
    paint();
    if (live_.empty() && (cut_.any() || (!turns_.head() && lost_.empty()))) break;
    wait();
    take_signals();
    for (auto live = live_.begin(); live != live_.end();) {
      const auto next = std::next(live);
      hear(*live);
      if (live->pid == 0) live_.erase(live);
      live = next;
    }
  }
  tally_.elapsed = std::chrono::duration_cast<milliseconds>(Clock::now() - started_);
  screen_.clear();
  if (const auto flushed = output_.flush(); !flushed && !cut_.error)
    cut_.error = failed("the results may not be on the disk", flushed.error().value);
  return cut_;
}

/// Making a sandbox and removing one is mostly waiting for the kernel. So the next ones are made
/// while commands run: as many as could run if nobody else did, and then they wait for a place.
void Coordinator::admit() {
  while (!cut_.any() && !lost_.empty() && start_or_wait(lost_.front().turn, lost_.front().why))
    lost_.pop_front();
  do give_turns();
  while (!cut_.any() && start_next());
}

/// What those that wait hold already is in no sum of admission_: it has a bound of its own.
bool Coordinator::fits_ahead(const Entry& entry) const {
  if (!settings_.overlap || !entry.ahead) return false;
  sbx::batch::Admission ahead(settings_.capacity);
  std::uint64_t held = entry.need.held;
  for (const Live& live : live_) {
    if (live.stage != Live::Stage::waits) continue;
    const sbx::batch::Need& need = list_.jobs[live.turn.job].need;
    ahead.admit(need);
    held += need.held;
  }
  return held <= sbx::batch::kMostAhead && ahead.fits(entry.need);
}

/// In its turn: nobody waits before it, and it will not have to.
bool Coordinator::fits_now(const Entry& entry) const {
  const auto waits = [](const Live& live) { return live.stage == Live::Stage::waits; };
  return std::ranges::none_of(live_, waits) && admission_.fits(entry.need);
}

/// In order: a big job waits until there is room for it, and all behind it wait for it, so that
/// small ones cannot keep it out.
void Coordinator::give_turns() {
  for (Live& live : live_) {
    if (live.stage != Live::Stage::waits) continue;
    const sbx::batch::Need& need = list_.jobs[live.turn.job].need;
    if (!admission_.fits(need)) return;
    admission_.admit(need);
    live.stage = Live::Stage::runs;
    live.since = Clock::now();
    // One that has ended before its turn is heard of by its end.
    (void)::send(live.channel.get(), "", 1, MSG_NOSIGNAL);
  }
}

/// False: nothing is left to be started, or enough is.
bool Coordinator::start_next() {
  const auto turn = turns_.head();
  if (!turn || live_.size() >= room_) return false;
  const Entry& entry = list_.jobs[turn->job];
  if (!fits_ahead(entry) && !fits_now(entry)) return false;
  if (!start_or_wait(*turn, "")) return false;
  turns_.drop_head();
  return true;
}

/// False: there is no room for one more process or descriptor, and those that are live will make
/// some; or the batch cannot go on.
bool Coordinator::start_or_wait(Turn turn, const std::string& lost) {
  auto started = start(turn, lost);
  if (started) return true;
  if (live_.empty() || !is_want_of_room(started.error().sys_errno))
    cut_.error = std::move(started).error();
  return false;
}

Result<void> Coordinator::start(Turn turn, const std::string& lost) {
  Live live{.turn = turn, .reporting = !lost.empty(), .since = Clock::now()};
  auto result = os::make_memory_file("sbx-result");
  if (!result)
    return std::unexpected(failed("cannot make a file for a result", result.error().value));
  live.result = std::move(*result);
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return std::unexpected(failed("cannot make a socket pair", errno));
  live.channel.reset(ends[0]);
  const os::UniqueFd theirs(ends[1]);
  const pid_t self = ::getpid();
  auto cloned = os::clone_process(0, -1);
  if (!cloned)
    return std::unexpected(failed("cannot start a process for a job", cloned.error().value));
  if (cloned->pid == 0) become_worker(live, theirs.get(), lost, self);
  live.pid = cloned->pid;
  live.pidfd = std::move(cloned->pidfd);
  if (live.reporting) live.stage = Live::Stage::ends;
  live_.push_back(std::move(live));
  return {};
}

void Coordinator::become_worker(Live& live, int channel, const std::string& lost,
                                pid_t coordinator) {
  output_.close();
  ::close(gate_.fd());
  for (Live& other : live_) {
    other.pidfd.reset();
    other.result.reset();
    other.channel.reset();
  }
  live.channel.reset();
  work({&list_, &policies_, &list_.jobs[live.turn.job], live.turn.attempts + 1, live.result.get(),
        channel, lost, coordinator, room_ == 1});
}

void Coordinator::wait() {
  std::vector<::pollfd> watched{{gate_.fd(), POLLIN, 0}};
  for (const Live& live : live_) {
    watched.push_back({live.pidfd.get(), POLLIN, 0});
    if (settings_.overlap && live.stage == Live::Stage::runs)
      watched.push_back({live.channel.get(), POLLIN, 0});
  }
  std::optional<Clock::time_point> until = screen_.due();
  if (kill_at_) until = until ? std::min(*until, *kill_at_) : *kill_at_;
  ::timespec timeout{};
  if (until) {
    const auto left = std::max(*until - Clock::now(), Clock::duration{0});
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    timeout = {seconds.count(), (left - seconds).count()};
  }
  (void)::ppoll(watched.data(), watched.size(), until ? &timeout : nullptr, nullptr);
}

void Coordinator::take_signals() {
  while (const int signal = gate_.take()) {
    if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT) {
      if (cut_.signal == 0) cut_.signal = signal;
    } else if (signal == SIGTSTP) {
      screen_.clear();
      signal_live(SIGTSTP);
      gate_.stop_self();
      signal_live(SIGCONT);
    }
  }
}

/// One that has been reaped, and whose result is being written, is nobody's process: 0 would be our
/// own group.
void Coordinator::signal_live(int signal) {
  for (const Live& live : live_)
    if (live.pid != 0) (void)::kill(live.pid, signal);
}

/// Asks every run to end at once, the first time; kills who has not some time later.
void Coordinator::end_live() {
  if (!kill_at_) {
    kill_at_ = Clock::now() + kPatience;
    // The second of two different ones ends a run, whatever its command makes of the first.
    signal_live(SIGINT);
    signal_live(SIGTERM);
  } else if (Clock::now() >= *kill_at_) {
    signal_live(SIGKILL);
    kill_at_ = Clock::now() + kPatience;
  }
}

void Coordinator::hear(Live& live) {
  ::pollfd heard[] = {{live.pidfd.get(), POLLIN, 0}, {live.channel.get(), POLLIN, 0}};
  if (::poll(heard, 2, 0) <= 0) return;
  for (char word = 0; settings_.overlap && ::recv(live.channel.get(), &word, 1, MSG_DONTWAIT) == 1;)
    advance(live, word == kCommandEnded ? Live::Stage::goes : Live::Stage::ends);
  if (heard[0].revents != 0) collect(live);
}

void Coordinator::paint() {
  const auto now = Clock::now();
  tally_.elapsed = std::chrono::duration_cast<milliseconds>(now - started_);
  screen_.paint(tally_, now);
}

}  // namespace sbx::cli::batch
