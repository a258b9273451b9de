#include "supervise/denials.hpp"

#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/machine.hpp"
#include "os/process.hpp"
#include "seccomp/advice.hpp"
#include "seccomp/evaluate.hpp"
#include "seccomp/notify.hpp"
#include "supervise/heard_call.hpp"

namespace sbx::supervise {
namespace {

/// How long a thread's name is taken for known while it makes the same call again: only a program
/// that took the place of another in that time, and goes on with its very call, gets the other's
/// name. To look is dearer than all the rest, most of all for a flood that has to wait each time.
constexpr Nanos kNameHolds = kSecond;
constexpr std::size_t kNoEntry = static_cast<std::size_t>(-1);
/// Received and not answered: as many as a run has threads, unless it kills those that wait and
/// makes others.
constexpr std::size_t kMostWaiting = 4096;
constexpr pid_t kPayload = 2;

/// Whose lines of the result can be told apart by a person.
bool same_kind(const Denial& a, const Denial& b) {
  return a.operation == b.operation && a.target == b.target && a.comm == b.comm;
}

/// Who wants to know it all pays for it; so do connections, of which there are many without harm.
Nanos share_for(const plan::Supervision& wanted) {
  if (wanted.learning != plan::Learning::off) return 2;
  return wanted.hears_connects ? 5 : Allowance::kShare;
}

}  // namespace

Result<void> Denials::start(os::UniqueFd listener, const plan::Plan& plan, Nanos now) {
  if (!listener.valid()) return {};
  auto opened = os::SeccompListener::open(std::move(listener));
  if (!opened)
    return std::unexpected(Error{.kind = ErrorKind::setup,
                                 .what = "cannot listen to the filter",
                                 .sys_errno = opened.error().value});
  listener_ = std::move(*opened);
  plan_ = &plan;
  heard_ = plan.supervision.denials;
  learner_.start(plan);
  if (plan.supervision.hears_connects)
    for (const plan::Step& step : plan.steps)
      if (const auto* gateway = std::get_if<plan::OpenGateway>(&step.action)) late_ = gateway->late;
  eager_ = plan.hears_at_once();
  allowance_.start(now, share_for(plan.supervision));
  return {};
}

void Denials::watch(PollSet& set, Nanos now) {
  index_ = kNotPolled;
  if (listener_.fd() < 0) return;
  if (resting_until_ && now >= *resting_until_) resting_until_.reset();
  if (!resting_until_ || (eager_ && received_.size() < kMostWaiting))
    index_ = set.add(listener_.fd(), POLLIN);
}

std::optional<std::vector<Denial>> Denials::take() {
  if (!heard_) return std::nullopt;
  return std::move(found_);
}

std::optional<Nanos> Denials::next() const {
  if (!resting_until_ && !received_.empty()) return Nanos{0};
  return resting_until_;
}

void Denials::step(const PollSet& set, Nanos now, const Tell& tell) {
  const short ready = set.revents(index_);
  // Everybody under the filter has gone. Not so POLLERR: a signal of ours came while the kernel
  // looked (seccomp_notify_poll() in kernel/seccomp.c).
  if ((ready & (POLLIN | POLLHUP)) == POLLHUP) {
    received_.clear();
    return listener_.close();
  }
  if ((ready & POLLIN) == 0 && received_.empty()) return;
  const Nanos before = cpu_ns();
  if (eager_) receive_all();
  for (int i = 0; i < kAtOnce && !resting_until_; ++i) {
    if (received_.empty() && !receive_one()) break;
    answer_next(now, tell);
    if (eager_) receive_all();
  }
  if (!allowance_.spend(cpu_ns() - before, now)) resting_until_ = allowance_.enough_at();
}

void Denials::answer_all(Nanos now, const Tell& tell) {
  while (!received_.empty()) answer_next(now, tell);
}

void Denials::receive_all() {
  while (received_.size() < kMostWaiting && receive_one()) continue;
}

bool Denials::receive_one() {
  ::pollfd waiting{listener_.fd(), POLLIN, 0};
  if (::poll(&waiting, 1, 0) != 1 || (waiting.revents & POLLIN) == 0) return false;
  const auto received = listener_.receive();
  if (!received) {
    out_of_hand_ = true;  // nobody could be answered any more
    return false;
  }
  if (*received) received_.push_back(**received);
  return true;
}

void Denials::answer_next(Nanos now, const Tell& tell) {
  if (received_.empty()) return;  // its caller has gone
  const os::SeccompNotice notice = received_.front();
  received_.pop_front();
  if (learner_.learns()) return learn(notice, now, tell);
  if (is_connect(notice)) {
    announce(notice);
    if (!listener_.let_pass(notice)) out_of_hand_ = true;
    return;
  }
  if (notice.thread != last_.thread || now > last_.until || !same_call(notice.call, last_.call))
    look_up(notice, now, tell);
  if (last_.entry == kNoEntry)
    ++others_;
  else
    ++found_[last_.entry].count;
  answer(notice);
}

bool Denials::is_connect(const os::SeccompNotice& notice) const {
  return plan_->supervision.hears_connects && connects(notice.call) &&
         seccomp::evaluate(plan_->filter.program(), notice.call) == SECCOMP_RET_ALLOW;
}

void Denials::announce(const os::SeccompNotice& notice) const {
  const auto to = connected_to(notice);
  // What was read belongs to this caller only if it still waits now (seccomp_unotify(2)).
  if (!on_connect_ || !to || to->loopback || !listener_.stands(notice)) return;
  for (const network::PortRange& range : late_)
    if (range.contains(to->port)) return on_connect_(to->family, to->port);
}

void Denials::learn(const os::SeccompNotice& notice, Nanos now, const Tell& tell) {
  const std::uint32_t action = seccomp::evaluate(plan_->filter.program(), notice.call)
                                   .value_or(SECCOMP_RET_ERRNO | std::uint32_t{EPERM});
  last_.action = action;
  const bool allowed = action == SECCOMP_RET_ALLOW;
  if (is_connect(notice)) announce(notice);
  if (allowed) {
    learner_.saw_allowed(notice, listener_);
  } else if (seccomp::is_told(action, plan_->seccomp.on_deny)) {
    look_up(notice, now, tell);
    const bool passes = learner_.saw_denied(notice, last_.who.name);
    if (last_.entry == kNoEntry)
      ++others_;
    else {
      ++found_[last_.entry].count;
      found_[last_.entry].passed = found_[last_.entry].passed || passes;
    }
    if (passes) last_.action = SECCOMP_RET_LOG;
  }
  if (!allowed) return answer(notice);
  if (!listener_.let_pass(notice)) out_of_hand_ = true;
}

void Denials::look_up(const os::SeccompNotice& notice, Nanos now, const Tell& tell) {
  last_.thread = notice.thread;
  last_.call = notice.call;
  last_.until = now + kNameHolds;
  last_.action = seccomp::evaluate(plan_->filter.program(), notice.call)
                     .value_or(SECCOMP_RET_ERRNO | std::uint32_t{EPERM});
  last_.who = os::thread_facts(notice.thread).value_or(os::ThreadFacts{});
  Denial denial;
  denial.operation = operation_of(notice.call);
  if (notice.call.arch == kOwnArchitecture) denial.target = seccomp::argument_text(notice.call);
  if (last_.who.process != 0) {
    denial.pid = last_.who.inner_process;
    denial.comm = last_.who.name;
  }
  denial.passed = (last_.action & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_LOG;
  last_.entry = entry_for(std::move(denial), tell, notice.call);
}

std::size_t Denials::entry_for(Denial denial, const Tell& tell, const seccomp_data& call) {
  const auto known = std::ranges::find_if(
      found_, [&denial](const Denial& other) { return same_kind(denial, other); });
  const auto entry = static_cast<std::size_t>(known - found_.begin());
  if (known != found_.end()) return entry;
  if (entry == kMostKinds) return kNoEntry;
  if (call.arch == kOwnArchitecture)
    denial.allow_with = seccomp::allowing_line(plan_->seccomp, call);
  found_.push_back(std::move(denial));
  tell(found_.back());
  return entry;
}

void Denials::answer(const os::SeccompNotice& notice) {
  SysResult<void> answered;
  switch (last_.action & SECCOMP_RET_ACTION_FULL) {
    case SECCOMP_RET_LOG:
      answered = listener_.let_pass(notice);
      break;
    case SECCOMP_RET_ERRNO:
      answered = listener_.refuse(notice, static_cast<int>(last_.action & SECCOMP_RET_DATA));
      break;
    default:
      return kill(notice);
  }
  if (!answered) out_of_hand_ = true;
}

void Denials::kill(const os::SeccompNotice& notice) {
  // While it waits for us its number is its own, and it never comes back from the call.
  const auto process = os::open_process(last_.who.process);  // of 0: EINVAL
  if (!listener_.stands(notice)) return;
  if (!process || !os::signal_process(process->get(), SIGKILL)) {
    out_of_hand_ = true;
    return;
  }
  if (last_.who.inner_process == kPayload) killed_payload_ = true;
  last_.thread = 0;  // whoever has its number next is somebody else
}

}  // namespace sbx::supervise
