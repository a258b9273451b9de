// What the supervisor does about its own limits and the filter's denials at each turn of the loop:
// look, decide, end the run.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "os/own_memory.hpp"
#include "os/tree_sample.hpp"
#include "supervise/redaction.hpp"
#include "supervise/run.hpp"

namespace sbx::supervise {
namespace {

constexpr std::string_view kOfSockets = "their sockets keep unread";
constexpr double kFillsSockets = 600e6;  // bytes a second, by one processor
constexpr Nanos kLookForTerminal = 200 * kMillisecond;
// What a process has used since the last look is lost when nobody waits for it.
constexpr Nanos kLookForTimes = 20 * kMillisecond;

std::string_view reason_code(KilledFor why) {
  switch (why) {
    case KilledFor::wall:
      return "wall_limit";
    case KilledFor::cpu:
      return "cpu_limit";
    case KilledFor::idle:
      return "idle_limit";
    case KilledFor::memory:
    case KilledFor::sockets:
      return "memory_limit";
    case KilledFor::output:
      return "output_limit";
    case KilledFor::command:
      return "killed";
    case KilledFor::filter:
      return "filter";
    case KilledFor::place:
      return "git_protect";
    case KilledFor::leak:
      return "secret_leaked";
    case KilledFor::interrupt:
    case KilledFor::nothing:
      return "interrupted";
  }
  return "interrupted";
}

/// A limit that nobody looks after is none: the run ends (supervise(), which tells why).
[[noreturn]] void cannot_look(Errno why) {
  throw std::system_error(why.value, std::generic_category(),
                          "cannot look at what the command uses");
}

}  // namespace

std::optional<Nanos> Run::next_wake() const {
  std::optional<Nanos> soonest;
  const auto consider = [&soonest](const std::optional<Nanos>& when) {
    if (when) soonest = soonest ? std::min(*soonest, *when) : *when;
  };
  consider(events_.next());
  consider(drop_due_);
  if (streams_.in_background()) consider(now_ns() + kLookForTerminal);
  if (tree_ended_ || !sandbox_) return soonest;
  consider(forwarder_.next());
  if (!paused_since_) consider(oom_watch_.next());
  consider(control_.next());
  consider(usage_due_);
  consider(artifacts_.next_sample());
  consider(settle_due_);
  consider(denials_.next());
  consider(network_.next());
  // A run that is being ended has no other deadline left, and the clocks of a paused one stand.
  if (escalation_.begun())
    consider(escalation_.next());
  else if (!paused_since_)
    consider(deadlines_.next());
  return soonest;
}

void Run::enforce(Nanos now) {
  if (!paused_since_ && !escalation_.begun() && deadlines_.cpu_check_due(now)) check_cpu(now);
  if (!paused_since_ && oom_watch_.due(now)) oom_watch_.note(now, oom_kills(*sandbox_));
  if (oom_watch_.over()) end_run(KilledFor::memory, now, 0);
  if (streams_.held_back()) deadlines_.note_output(now);
  if (streams_.must_kill()) end_run(KilledFor::output, now, 0);
  if (leaked()) end_run(KilledFor::leak, now, 0);
  if (forwarder_.overdue(now)) end_run(KilledFor::interrupt, now, 0);
  // What init does when the command has ended is not the command's time.
  if (!escalation_.begun() && !paused_since_ && !sandbox_->payload_ended()) {
    if (const auto limit = deadlines_.expired(now)) {
      evidence_.silent_ms = in_ms(deadlines_.silence(now));
      end_run(*limit, now, to_nanos(plan_.supervision.grace));
    }
  }
  // Last: with many processes it takes its time.
  if (looks_on() && tree_watch_.due(now)) look_at_tree(now);
  if (tree_watch_.over()) end_run(KilledFor::memory, now, 0);
  if (looks_on() && socket_watch_.due(now)) look_at_sockets();
  if (socket_watch_.over()) end_run(KilledFor::sockets, now, 0);
  switch (escalation_.take(now)) {
    case Escalation::Act::nothing:
      break;
    case Escalation::Act::terminate:
      send(SIGTERM, reason_code(evidence_.killed_for));
      sandbox_->signal_payload(SIGCONT);  // a stopped process cannot heed the first one
      break;
    case Escalation::Act::kill:
      events_.signal_sent(now, SIGKILL, reason_code(evidence_.killed_for));
      sandbox_->kill_tree();
      break;
  }
}

void Run::check_cpu(Nanos now) {
  if (const auto counted = cpu_used_us(*sandbox_)) return deadlines_.note_cpu(now, counted);
  look_at_tree(now);
}

void Run::look_at_tree(Nanos now) {
  if (!tree_stands_still(now)) sample_tree(now);
  if (!cpu_used_us(*sandbox_)) {
    const auto used = tree_times_.used();
    deadlines_.note_cpu(now, used ? without_setup(*sandbox_, *used).sum() : 0, kLookForTimes);
  }
}

void Run::sample_tree(Nanos now) {
  const bool weighed = tree_watch_.next().has_value();
  auto sample = os::sample_tree(sandbox_->init_pid(), weighed ? tree_watch_.limit() : UINT64_MAX);
  if (!sample) not_seen(sample.error(), "they use of memory and processor time");
  if (weighed) tree_watch_.note(now, sample ? std::optional(sample->memory) : std::nullopt);
  if (sample && !cpu_used_us(*sandbox_)) tree_times_.note(*sample);
  tree_clocks_ = sample ? std::move(sample->clocks) : os::TreeClocks{};
  os::release_code();  // what reads /proc is not needed until the next look
}

/// init is there until it is reaped, and then nobody looks: what is not there is hidden.
void Run::not_seen(Errno why, std::string_view what) {
  constexpr std::array kHidden{ENOENT, ESRCH, EPERM, EACCES};
  if (std::ranges::find(kHidden, why.value) == kHidden.end()) cannot_look(why);
  if (std::exchange(told_hidden_, true)) return;
  outcome_.warnings.push_back(
      "/proc hides processes of the sandbox (its option hidepid, proc(5)): what " +
      std::string(what) + " is not known, and limits of it do not hold");
}

/// A sleeping tree wakes us more seldom: it is to begin before it can grow.
bool Run::tree_stands_still(Nanos now) {
  if (!tree_clocks_.stand_still()) return false;
  // A page is zeroed in about a microsecond.
  if (tree_watch_.due(now)) tree_watch_.note_slow(now, tree_watch_.last(), processors() * 4e9);
  return true;
}

/// Those that can work for the command at once, whatever its affinity is now. glibc reads a file of
/// /sys for it, and so nobody asks before the command runs.
double Run::processors() {
  if (processors_ == 0) processors_ = std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN));
  return static_cast<double>(processors_);
}

bool Run::looks_on() const {
  return sandbox_ && !paused_since_ && !tree_ended_ && !escalation_.killed();
}

/// What wait() does by itself, in place of a turn of the loop.
bool Run::nothing_has_grown(Nanos now) {
  return (!socket_watch_.due(now) || !sockets_may_pass(now)) &&
         (!tree_watch_.due(now) || tree_stands_still(now));
}

bool Run::sockets_may_pass(Nanos now) {
  const auto count = sockets_.count(sandbox_->init_pid(), socket_watch_.limit());
  if (!count) not_seen(count.error(), kOfSockets);
  if (count && *count == os::Sockets::many) return true;
  if (count && *count == os::Sockets::none)
    socket_watch_.note_slow(now, 0, processors() * kFillsSockets);
  else
    socket_watch_.note(now, 0);
  return false;
}

void Run::look_at_sockets() {
  const auto unread = sockets_.bytes(sandbox_->init_pid(), socket_watch_.limit());
  if (!unread) not_seen(unread.error(), kOfSockets);
  const Nanos now = now_ns();  // of very many it takes its time
  socket_watch_.note(now, unread.value_or(0));
  evidence_.unread_bytes = socket_watch_.peak();
  if (!settle_due_) settle_due_ = now + settle_pause_;
}

Denials::Tell Run::tell_denial() {
  return [this](const Denial& denial) {
    Denial clean = denial;
    redact_denial(outcome_.redactor, clean);
    events_.denial(now_ns(), clean);
  };
}

void Run::hear_denials(Nanos now) {
  denials_.step(set_, now, tell_denial());
  if (denials_.out_of_hand()) end_run(KilledFor::filter, now, 0);
}

void Run::look_at_places(Nanos now) {
  auto broken = place_watch_.broken(set_);
  if (!broken) return;
  if (evidence_.broken_place.empty()) {
    outcome_.warnings.push_back(*broken + ": the run was ended");
    evidence_.broken_place = *std::move(broken);
  }
  end_run(KilledFor::place, now, 0);
}

Result<void> Run::look_for_secrets() {
  if (outcome_.redactor != nullptr) return {};
  std::span<const os::SecretMemory> values;
  if (sinks_.secrets != nullptr) values = *sinks_.secrets;
  outcome_.redactor = SBX_TRY(make_redactor(plan_, values));
  return {};
}

bool Run::leaked() const {
  return plan_.supervision.on_leak == profile::OnLeak::fail && streams_.redactions() != 0;
}

void Run::end_run(KilledFor why, Nanos now, Nanos grace) {
  if (evidence_.killed_for == KilledFor::nothing) evidence_.killed_for = why;
  escalation_.begin(now, grace);
}

}  // namespace sbx::supervise
