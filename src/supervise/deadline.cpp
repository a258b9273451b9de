// The arithmetic of the limits; nothing here reads a clock.
#include "supervise/deadline.hpp"

#include <algorithm>

namespace sbx::supervise {
namespace {

// The last CPU check before the limit comes this much late at most; a read of the counter costs
// about 10 us, so even a tree that crawls towards its limit pays a thousandth for being watched.
constexpr Nanos kShortestCpuCheck = 10 * kMillisecond;

}  // namespace

Deadlines::Deadlines(const plan::Supervision& limits, double cpus) : cpus_(std::max(cpus, 0.01)) {
  if (limits.wall) wall_ = to_nanos(*limits.wall);
  if (limits.idle) idle_ = to_nanos(*limits.idle);
  if (limits.cpu) cpu_us_ = static_cast<std::uint64_t>(limits.cpu->count()) * 1000;
}

void Deadlines::start(Nanos exec) {
  start_ = last_output_ = exec;
  note_cpu(exec, 0);
}

void Deadlines::note_cpu(Nanos now, std::optional<std::uint64_t> used_us, Nanos longest) {
  if (!cpu_us_) return;
  if (!used_us) {
    cpu_us_.reset();
    return;
  }
  cpu_spent_ = *used_us >= *cpu_us_;
  if (cpu_spent_) return;
  // With every CPU busy the rest lasts this long; no reading before then can find it spent.
  const double rest = static_cast<double>(*cpu_us_ - *used_us) * 1000 / cpus_;
  const Nanos pause = std::max(kShortestCpuCheck, static_cast<Nanos>(std::min(rest, 1e18)));
  cpu_check_ = now + std::min(pause, longest);
}

bool Deadlines::cpu_check_due(Nanos now) const {
  return cpu_us_ && !cpu_spent_ && now >= cpu_check_;
}

void Deadlines::shift(Nanos stopped, Nanos now) {
  stopped_ += stopped;
  start_ += stopped;
  // What came while it stood still was written before.
  last_output_ = std::min(last_output_ + stopped, now);
}

std::optional<KilledFor> Deadlines::expired(Nanos now) const {
  if (cpu_us_ && cpu_spent_) return KilledFor::cpu;
  if (wall_ && now - start_ >= *wall_) return KilledFor::wall;
  if (idle_ && silent_at_ - last_output_ >= *idle_) return KilledFor::idle;
  return std::nullopt;
}

std::optional<Nanos> Deadlines::next() const {
  std::optional<Nanos> soonest;
  const auto consider = [&soonest](Nanos when) {
    soonest = soonest ? std::min(*soonest, when) : when;
  };
  if (wall_) consider(start_ + *wall_);
  if (idle_) consider(last_output_ + *idle_);
  if (cpu_us_ && !cpu_spent_) consider(cpu_check_);
  return soonest;
}

void Escalation::begin(Nanos now, Nanos grace) {
  if (!kill_at_) terminate_ = grace > 0;
  kill_at_ = kill_at_ ? std::min(*kill_at_, now + grace) : now + grace;
}

Escalation::Act Escalation::take(Nanos now) {
  if (!kill_at_ || killed_) return Act::nothing;
  if (now >= *kill_at_) {
    killed_ = true;
    terminate_ = false;
    return Act::kill;
  }
  if (!terminate_) return Act::nothing;
  terminate_ = false;
  return Act::terminate;
}

void Escalation::shift(Nanos stopped) {
  if (kill_at_) *kill_at_ += stopped;
}

std::optional<Nanos> Escalation::next() const { return killed_ ? std::nullopt : kill_at_; }

}  // namespace sbx::supervise
