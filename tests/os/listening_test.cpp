// What who is listened to notices of it: nothing, when a signal comes.
#include <poll.h>
#include <sys/socket.h>

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

void look_and_be_interrupted(const plan::Plan& plan, int channel) {
  struct ::sigaction caught{};  // without SA_RESTART
  caught.sa_handler = [](int) {};
  expect(::sigaction(SIGUSR1, &caught, nullptr) == 0);
  filter_myself(plan, channel);
  expect(::syscall(SYS_add_key, nullptr, nullptr, nullptr, 0, 0) != 0);
  expect(::access("/", F_OK) == 0);
}

/// What is told of the first denial takes all that may be spent on answers for now.
void spend_it_all(const supervise::Denial&) {
  const supervise::Nanos begin = supervise::cpu_ns();
  while (supervise::cpu_ns() - begin < supervise::kSecond / 5) continue;
}

}  // namespace

TEST_CASE("a call that waits for its turn is not interrupted") {
  plan::Plan plan;
  plan.filter = seccomp::filter_for(plan.seccomp).value();
  plan.supervision.denials = true;
  plan.supervision.learning = plan::Learning::needs;
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  const os::UniqueFd ours(ends[0]);
  os::UniqueFd theirs(ends[1]);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    look_and_be_interrupted(plan, theirs.get());
    ::_exit(kHolds);
  }
  theirs.reset();
  auto sent = os::receive_descriptors(ours.get(), true);
  REQUIRE(sent.has_value());
  supervise::Denials denials;
  supervise::Nanos now = supervise::now_ns();
  REQUIRE(denials.start(std::move(sent->front()), plan, now));
  const auto turn = [&] {
    supervise::PollSet set;
    denials.watch(set, now);
    if (set.size() == 0) return false;
    CHECK(::poll(set.data(), set.size(), denials.next() == 0 ? 0 : kPatienceMs) >= 0);
    denials.step(set, now, spend_it_all);
    return true;
  };
  while (!denials.next() && turn()) continue;  // until the budget is used up
  REQUIRE(denials.next().value_or(0) > now);
  REQUIRE(turn());  // the next call is received all the same
  ::kill(child, SIGUSR1);
  now = denials.next().value_or(0);
  REQUIRE(now > 0);
  while (turn()) continue;
  CHECK(wait_status(child) == kHolds);
}
