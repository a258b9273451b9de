// Where the kernel is to begin a new process.
#include <doctest/doctest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "launch/placement.hpp"
#include "os/processors.hpp"

using namespace sbx;  // NOLINT(google-build-using-namespace)

namespace {

/// A child of ours that does nothing, and ends with the test.
class Child {
 public:
  Child() : pid_(::fork()) {
    REQUIRE(pid_ >= 0);
    while (pid_ == 0) ::pause();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

cpu_set_t processors_of(pid_t pid) {
  cpu_set_t set;
  REQUIRE(::sched_getaffinity(pid, sizeof set, &set) == 0);
  return set;
}

cpu_set_t only(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(processor), &set);
  return set;
}

/// This process has one processor only, until the end of the test.
class Pinned {
 public:
  Pinned() : all_(processors_of(0)), here_(only(::sched_getcpu())) {
    REQUIRE(::sched_setaffinity(0, sizeof here_, &here_) == 0);
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned() { ::sched_setaffinity(0, sizeof all_, &all_); }
  [[nodiscard]] const cpu_set_t& all() const { return all_; }
  [[nodiscard]] const cpu_set_t& here() const { return here_; }

 private:
  cpu_set_t all_;
  cpu_set_t here_;
};

/// What init or the payload is known by while the sandbox is set up.
struct Launch {
  explicit Launch(const os::Processors& processors) {
    const auto add = [this](plan::Phase phase, plan::Action action) {
      plan.steps.push_back({phase, std::move(action)});
    };
    add(plan::Phase::clone, plan::CloneNamespaces{});
    add(plan::Phase::init, plan::NewSession{});
    add(plan::Phase::init, plan::AwaitIdMaps{});
    add(plan::Phase::init, plan::DieWithSupervisor{});
    add(plan::Phase::payload, plan::NewNetwork{});
    add(plan::Phase::payload, plan::RaiseLoopback{});
    context.plan = &plan;
    context.page = &page;
    context.processors = processors;
    context.payload_pid = child.pid();
  }
  [[nodiscard]] bool runs_on(const cpu_set_t& expected) const {
    const cpu_set_t set = processors_of(child.pid());
    return CPU_EQUAL(&set, &expected) != 0;
  }

  plan::Plan plan;
  launch::SharedPage page;
  launch::Context context;
  Child child;
};

}  // namespace

TEST_CASE("a child is sent to all processors but ours, and may have all of them again") {
  const os::Processors processors = os::Processors::usable();
  const cpu_set_t all = processors_of(0);
  const Pinned pinned;
  const Child child;
  processors.send_away(child.pid());
  const cpu_set_t after = processors_of(child.pid());
  CHECK(CPU_COUNT(&after) == std::max(1, CPU_COUNT(&all) - 1));
  CHECK((CPU_COUNT(&all) == 1 || !CPU_ISSET(static_cast<unsigned>(::sched_getcpu()), &after)));
  processors.take_all();
  const cpu_set_t ours = processors_of(0);
  CHECK(CPU_EQUAL(&ours, &all));
}

// Somebody else has the one that it was sent to. It waited there for milliseconds, and its parent
// for it, with a processor to spare.
TEST_CASE("init that has not gone on by the time we wait for it gets our processor") {
  Launch launch(os::Processors::usable());
  const Pinned pinned;
  launch.context.processors.send_away(launch.child.pid());

  SUBCASE("nor begun") { launch.page.init_step = -1; }
  SUBCASE("nor got its ids, which are there") { launch.page.init_step = 2; }
  SUBCASE("unlike one that has") {
    launch.page.init_step = 3;
    const cpu_set_t sent = processors_of(launch.child.pid());
    call_init_back(launch.context, launch.child.pid());
    CHECK(launch.runs_on(sent));
    let_init_move(launch.context);
    const cpu_set_t ours = processors_of(0);
    CHECK(CPU_EQUAL(&ours, &pinned.here()));  // it has taken all of them long ago
    return;
  }
  call_init_back(launch.context, launch.child.pid());
  CHECK(launch.runs_on(pinned.here()));
  let_init_move(launch.context);  // as init does, when the supervisor is ready
  const cpu_set_t ours = processors_of(0);
  CHECK(CPU_EQUAL(&ours, &pinned.all()));
}

TEST_CASE("a payload that is still at its first step gets init's processor") {
  Launch launch(os::Processors::usable());
  const Pinned pinned;
  launch.context.processors.send_away(launch.child.pid());
  const cpu_set_t sent = processors_of(launch.child.pid());
  launch.page.payload_step = 5;
  call_payload_back(launch.context);
  CHECK(launch.runs_on(sent));
  launch.page.payload_step = 4;
  call_payload_back(launch.context);
  CHECK(launch.runs_on(pinned.here()));
}
