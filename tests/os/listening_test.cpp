// What who is listened to notices of it: nothing, when a signal comes.
#include <poll.h>
#include <sys/socket.h>

#include <utility>

#include "../kernel/kernel_testing.hpp"
#include "listened_payload.hpp"
#include "os/pass_descriptors.hpp"
#include "os/process.hpp"
#include "os/seccomp_notify.hpp"
#include "supervise/denials.hpp"

using namespace sbx;        // NOLINT(google-build-using-namespace)
using namespace sbx::test;  // NOLINT(google-build-using-namespace)

namespace {

constexpr int kPatienceMs = 4000;

void catch_signal() {
  struct ::sigaction caught{};  // without SA_RESTART
  caught.sa_handler = [](int) {};
  expect(::sigaction(SIGUSR1, &caught, nullptr) == 0);
}

void look_and_be_interrupted(const plan::Plan& plan, int channel) {
  catch_signal();
  filter_myself(plan, channel);
  expect(::syscall(SYS_add_key, nullptr, nullptr, nullptr, 0, 0) != 0);
  expect(::access("/", F_OK) == 0);
}

void let_another_die_first(const plan::Plan& plan, int channel) {
  catch_signal();
  filter_myself(plan, channel);
  const pid_t other = ::fork();
  if (other == 0) ::syscall(SYS_add_key, nullptr, nullptr, nullptr, 0, 0);
  expect(wait_status(other) != kHolds);
  ::syscall(SYS_add_key, nullptr, nullptr, nullptr, 0, 0);
}

/// What is told of the first denial takes all that may be spent on answers for now.
void spend_it_all(const supervise::Denial&) {
  const supervise::Nanos begin = supervise::cpu_ns();
  while (supervise::cpu_ns() - begin < supervise::kSecond / 5) continue;
}

/// A child under the filter of `plan`, and who listens to it. Its first denied call uses the budget
/// up; the next one is received all the same, and waits while a signal comes.
class Listened {
 public:
  Listened(const plan::Plan& plan, void (*payload)(const plan::Plan&, int)) {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
    const os::UniqueFd ours(ends[0]);
    os::UniqueFd theirs(ends[1]);
    child_ = ::fork();
    REQUIRE(child_ >= 0);
    if (child_ == 0) {
      payload(plan, theirs.get());
      ::_exit(kHolds);
    }
    theirs.reset();
    auto sent = os::receive_descriptors(ours.get(), true);
    REQUIRE(sent.has_value());
    REQUIRE(denials_.start(std::move(sent->front()), plan, now_));
  }

  Listened(const Listened&) = delete;
  Listened& operator=(const Listened&) = delete;
  ~Listened() {
    if (child_ > 0) ::kill(child_, SIGKILL);
  }

  /// Its wait status.
  int interrupted() {
    while (!denials_.next() && turn()) continue;  // until the budget is used up
    REQUIRE(denials_.next().value_or(0) > now_);
    REQUIRE(turn());  // the next call is received all the same
    ::kill(child_, SIGUSR1);
    now_ = denials_.next().value_or(0);
    REQUIRE(now_ > 0);
    while (turn()) continue;
    return wait_status(std::exchange(child_, -1));
  }

 private:
  bool turn() {
    supervise::PollSet set;
    denials_.watch(set, now_);
    if (set.size() == 0) return false;
    CHECK(::poll(set.data(), set.size(), denials_.next() == 0 ? 0 : kPatienceMs) >= 0);
    denials_.step(set, now_, spend_it_all);
    return true;
  }

  pid_t child_ = -1;
  supervise::Denials denials_;
  supervise::Nanos now_ = supervise::now_ns();
};

plan::Plan listened_plan(seccomp::OnDeny on_deny, plan::Learning learning) {
  plan::Plan plan;
  plan.seccomp.on_deny = on_deny;
  plan.filter = seccomp::filter_for(plan.seccomp).value();
  plan.supervision.denials = true;
  plan.supervision.learning = learning;
  return plan;
}

}  // namespace

TEST_CASE("a call that waits for its turn is not interrupted") {
  const plan::Plan plan = listened_plan(seccomp::OnDeny::fail, plan::Learning::needs);
  CHECK(Listened(plan, look_and_be_interrupted).interrupted() == kHolds);
}

TEST_CASE("nobody gets away by a signal who is to be killed for a call") {
  const plan::Plan plan = listened_plan(seccomp::OnDeny::kill, plan::Learning::off);
  CHECK(Listened(plan, let_another_die_first).interrupted() == SIGKILL);
}
