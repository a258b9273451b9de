// Whole runs of the supervisor over a fake sandbox: signals, terminals, launches that fail.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "supervise_run.hpp"

using namespace sbx;
using namespace sbx::supervise;
using namespace sbx::supervise::testing;
using Json = nlohmann::json;
using std::chrono::milliseconds;

TEST_CASE("a launch that fails is told, with nothing run") {
  plan::Plan plan;
  plan.argv = {"x"};
  const Outcome outcome = supervise::supervise(
      plan, {}, [](const plan::Plan&, const launch::StdioFds&, int, const auto&) {
        return Result<std::unique_ptr<LiveSandbox>>(std::unexpected(
            Error{.kind = ErrorKind::setup, .what = "no luck", .sys_errno = EPERM}));
      });
  CHECK(outcome.status == Status::setup_error);
  CHECK(outcome.process_exit == 125);
  CHECK(outcome.phase == "setup");
  REQUIRE(outcome.error);
  CHECK(outcome.error->what == "no luck");
}

TEST_CASE("a launch that throws is an internal error") {
  plan::Plan plan;
  const Outcome outcome =
      supervise::supervise(plan, {},
                           [](const plan::Plan&, const launch::StdioFds&, int,
                              const auto&) -> Result<std::unique_ptr<LiveSandbox>> {
                             throw std::runtime_error("surprise");
                           });
  CHECK(outcome.status == Status::internal_error);
  CHECK(outcome.process_exit == 125);
}

TEST_CASE("a signal for sbx goes to the payload") {
  const std::string me = std::to_string(::getpid());
  const Ran died = run("kill -TERM " + me + "; sleep 30");
  CHECK(died.outcome.status == Status::interrupted);
  CHECK(died.outcome.process_exit == 143);
  const Ran handled =
      run("trap 'echo got; exit 4' INT; kill -INT " + me + "; while :; do sleep 0.02; done");
  CHECK(handled.out == "got\n");
  CHECK(handled.outcome.status == Status::nonzero);
  CHECK(handled.outcome.process_exit == 4);
}

TEST_CASE("a payload that ignores signals is killed by the second one, or in time") {
  const std::string me = std::to_string(::getpid());
  const Ran second = run("trap '' INT TERM; kill -INT " + me + "; sleep 0.3; kill -TERM " + me +
                         "; while :; do sleep 0.02; done");
  CHECK(second.outcome.status == Status::interrupted);
  CHECK(second.outcome.process_exit == 130);
  CHECK(second.outcome.signal == SIGKILL);
  const Ran ignored = run("trap '' TERM; kill -TERM " + me + "; while :; do sleep 0.02; done");
  CHECK(ignored.outcome.status == Status::interrupted);
  CHECK(ignored.outcome.process_exit == 143);
  CHECK(ignored.outcome.wall_ms >= 2000);
}

TEST_CASE("signals and descriptors are as before when a run is over") {
  sigset_t before;
  sigset_t after;
  ::sigprocmask(SIG_SETMASK, nullptr, &before);
  const int next = ::dup(0);
  ::close(next);
  run("true");
  ::sigprocmask(SIG_SETMASK, nullptr, &after);
  for (int signal = 1; signal < 32; ++signal)
    CHECK(sigismember(&before, signal) == sigismember(&after, signal));
  const int again = ::dup(0);
  ::close(again);
  CHECK(again == next);
}

TEST_CASE("a pty carries both ways and ends with its input") {
  plan::Supervision how;
  how.tty = true;
  const Ran ran =
      run("test -t 0 && test -t 1 && test -t 2 && stty size && cat && echo end", how, "line\n");
  CHECK(ran.outcome.status == Status::ok);
  CHECK(ran.out.find("24 80\r\n") != std::string::npos);
  // Once as the terminal's echo, once from cat.
  CHECK(ran.out.find("line\r\n") != ran.out.rfind("line\r\n"));
  CHECK(ran.out.ends_with("end\r\n"));
}

TEST_CASE("a pty loses nothing at the end") {
  plan::Supervision how;
  how.tty = true;
  how.input = plan::InputMode::null;
  const Ran ran = run("stty -opost; seq 1 50000", how);
  std::string expected;
  for (int i = 1; i <= 50'000; ++i) expected += std::to_string(i) + "\n";
  CHECK(ran.out.size() >= expected.size());
  CHECK(ran.out.ends_with(expected));
}
