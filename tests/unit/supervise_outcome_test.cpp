// From evidence to status.
#include <doctest/doctest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>

#include <cerrno>
#include <span>
#include <string>

#include "supervise_outcome_testing.hpp"

using namespace sbx;
using namespace sbx::supervise;
using namespace sbx::testing;

namespace {

struct Row {
  const char* name;
  Evidence evidence;
  Status status;
  int process_exit;
};

}  // namespace

TEST_CASE("the status follows from the evidence") {
  const Row rows[] = {
      {"exit 0", {.wait_status = exited(0)}, Status::ok, 0},
      {"exit 3", {.wait_status = exited(3)}, Status::nonzero, 3},
      {"exit 137 of its own is no kill",
       {.wait_status = exited(137), .oom_kills = 0},
       Status::nonzero,
       137},
      {"segfault", {.wait_status = killed(SIGSEGV)}, Status::signal, 139},
      {"core flag does not matter", {.wait_status = killed(SIGSEGV) | 0x80}, Status::signal, 139},
      {"killed by another", {.wait_status = killed(SIGKILL), .oom_kills = 0}, Status::signal, 137},
      {"killed, no memory counter", {.wait_status = killed(SIGKILL)}, Status::signal, 137},
      {"out of memory", {.wait_status = killed(SIGKILL), .oom_kills = 1}, Status::oom, 137},
      {"a child out of memory", {.wait_status = exited(0), .oom_kills = 1}, Status::oom, 0},
      {"and the payload failed", {.wait_status = exited(9), .oom_kills = 1}, Status::oom, 9},
      {"SIGTERM with an oom elsewhere",
       {.wait_status = killed(SIGTERM), .oom_kills = 1},
       Status::signal,
       143},
      {"seccomp", {.wait_status = killed(SIGSYS)}, Status::seccomp, 159},
      {"seccomp, by us",
       {.wait_status = killed(SIGKILL), .filter_kill = true},
       Status::seccomp,
       159},
      {"a child by seccomp", {.wait_status = exited(3), .filter_kill = false}, Status::nonzero, 3},
      {"a call that nobody could answer",
       {.wait_status = killed(SIGKILL), .killed_for = KilledFor::filter},
       Status::internal_error,
       125},
      {"a watched name came into being",
       {.wait_status = exited(0), .killed_for = KilledFor::place, .broken_place = "x"},
       Status::signal,
       137},
      {"SIGXCPU without a limit of ours", {.wait_status = killed(SIGXCPU)}, Status::signal, 152},
      {"SIGXFSZ without a limit of ours", {.wait_status = killed(SIGXFSZ)}, Status::signal, 153},
      {"wall",
       {.wait_status = killed(SIGKILL), .killed_for = KilledFor::wall},
       Status::timeout,
       124},
      {"wall, and the memory limit too",
       {.wait_status = killed(SIGKILL), .killed_for = KilledFor::wall, .oom_kills = 1},
       Status::timeout,
       124},
      {"wall, exits in its grace",
       {.wait_status = exited(0), .killed_for = KilledFor::wall},
       Status::timeout,
       124},
      {"wall, init was killed first",
       {.killed_for = KilledFor::wall, .init_died = true},
       Status::timeout,
       124},
      {"cpu",
       {.wait_status = killed(SIGKILL), .killed_for = KilledFor::cpu},
       Status::cpu_limit,
       124},
      {"idle",
       {.wait_status = killed(SIGKILL), .killed_for = KilledFor::idle},
       Status::idle_timeout,
       124},
      {"output",
       {.wait_status = killed(SIGKILL), .killed_for = KilledFor::output},
       Status::output_limit,
       153},
      {"forwarded and died of it",
       {.wait_status = killed(SIGINT), .interrupt_signal = SIGINT},
       Status::interrupted,
       130},
      {"forwarded and handled",
       {.wait_status = exited(7), .interrupt_signal = SIGINT},
       Status::nonzero,
       7},
      {"forwarded, died of something else",
       {.wait_status = killed(SIGSEGV), .interrupt_signal = SIGINT},
       Status::signal,
       139},
      {"forwarded, not heeded",
       {.wait_status = killed(SIGKILL),
        .killed_for = KilledFor::interrupt,
        .interrupt_signal = SIGTERM},
       Status::interrupted,
       143},
      {"forwarded, not heeded, init was first",
       {.killed_for = KilledFor::interrupt, .interrupt_signal = SIGTERM, .init_died = true},
       Status::interrupted,
       143},
      {"ended by itself before our kill",
       {.wait_status = exited(0), .killed_for = KilledFor::interrupt, .interrupt_signal = SIGTERM},
       Status::ok,
       0},
      {"not found", {.exec_errno = ENOENT}, Status::not_found, 127},
      {"not executable", {.exec_errno = EACCES}, Status::not_executable, 126},
      {"bad format", {.exec_errno = ENOEXEC}, Status::not_executable, 126},
      {"init out of memory",
       {.oom_kills = 1, .init_died = true, .init_wait_status = killed(SIGKILL)},
       Status::oom,
       137},
      {"init gone",
       {.init_died = true, .init_wait_status = killed(SIGKILL)},
       Status::internal_error,
       125},
      {"init failed late",
       {.init_died = true, .init_error = Error{.kind = ErrorKind::setup, .what = "x"}},
       Status::internal_error,
       125},
      {"not found, and init failed",
       {.exec_errno = ENOENT,
        .init_died = true,
        .init_error = Error{.kind = ErrorKind::setup, .what = "x"}},
       Status::not_found,
       127},
      {"setup",
       {.setup_error = Error{.kind = ErrorKind::setup, .what = "x"}},
       Status::setup_error,
       125},
      {"setup, host",
       {.setup_error = Error{.kind = ErrorKind::host, .what = "x"}},
       Status::setup_error,
       125},
      {"setup, internal",
       {.setup_error = Error{.kind = ErrorKind::internal, .what = "x"}},
       Status::internal_error,
       125},
      {"setup, interrupted",
       {.interrupt_signal = SIGINT,
        .setup_error = Error{.kind = ErrorKind::setup, .what = "x", .sys_errno = EINTR}},
       Status::interrupted,
       130},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const Outcome outcome = decided(row.evidence);
    CHECK(to_string(outcome.status) == to_string(row.status));
    CHECK(outcome.process_exit == row.process_exit);
    CHECK_FALSE(outcome.reason.code.empty());
    CHECK_FALSE(outcome.reason.text.empty());
  }
}

TEST_CASE("limits of the payload's own processes are told apart from other signals") {
  plan::Plan plan = some_plan();
  plan.limits.rlimits["cpu"] = 2;
  plan.limits.rlimits["fsize"] = 1U << 20U;
  const Outcome cpu = decided({.wait_status = killed(SIGXCPU), .payload_cpu_us = 1'590'000}, plan);
  CHECK(cpu.status == Status::cpu_limit);
  CHECK(cpu.process_exit == 124);
  CHECK(cpu.signal == SIGXCPU);
  const Outcome ignored =
      decided({.wait_status = killed(SIGKILL), .payload_cpu_us = 2'990'000}, plan);
  CHECK(ignored.status == Status::cpu_limit);
  CHECK(ignored.reason.code == "cpu_rlimit");
  for (const int signal : {SIGXCPU, SIGKILL}) {
    const Outcome other = decided({.wait_status = killed(signal), .payload_cpu_us = 100'000}, plan);
    CHECK(other.status == Status::signal);
  }
  const Outcome file = decided({.wait_status = killed(SIGXFSZ)}, plan);
  CHECK(file.status == Status::disk_limit);
  CHECK(file.process_exit == 153);
  CHECK(file.reason.limit == "1M");
  // Anybody may send it to himself: what is certain is the signal.
  CHECK(file.reason.text.starts_with("it was killed by SIGXFSZ, which the kernel sends "));
}

TEST_CASE(
    "SIGSYS is the filter's where the filter may have sent it, and then perhaps the command's") {
  plan::Plan plan = some_plan();
  plan.supervision.denials = true;
  constexpr sock_filter kAllow{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
  plan.filter = seccomp::Filter{std::span(&kAllow, 1)};
  for (const seccomp::OnDeny mode :
       {seccomp::OnDeny::fail, seccomp::OnDeny::kill, seccomp::OnDeny::log})
    for (const bool heard : {false, true}) {
      plan.seccomp.on_deny = mode;
      Outcome outcome;
      if (heard) outcome.denials.emplace();
      decide({.wait_status = killed(SIGSYS)}, plan, outcome);
      CHECK(outcome.process_exit == 159);
      CHECK(outcome.signal == SIGSYS);
      const bool never = heard && mode == seccomp::OnDeny::kill;
      CHECK(to_string(outcome.status) == (never ? "signal" : "seccomp"));
      CHECK(outcome.reason.code == (never ? "signal" : "seccomp"));
      CAPTURE(outcome.reason.text);
      CHECK(outcome.reason.text.contains("raised SIGSYS itself"));
      CHECK(outcome.reason.text.contains(" does not send in this run") == never);
      // Of denied calls, without a kill, a process dies in no other table than ours.
      CHECK(outcome.reason.text.contains("(32-bit or x32)") == (mode != seccomp::OnDeny::kill));
    }
}

TEST_CASE("a second filter, where sendmsg is denied, kills by SIGSYS although somebody listens") {
  plan::Plan plan = some_plan();
  plan.supervision.denials = true;
  constexpr sock_filter kKill{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_PROCESS};
  plan.filter = seccomp::Filter{std::span(&kKill, 1)};
  plan.seccomp.on_deny = seccomp::OnDeny::kill;
  Outcome outcome;
  outcome.denials.emplace();
  decide({.wait_status = killed(SIGSYS)}, plan, outcome);
  CHECK(outcome.status == Status::seccomp);
  CHECK(outcome.reason.text.contains("that the profile denies, or the command raised"));
}

TEST_CASE("the payload's own code and signal are kept whatever sbx exits with") {
  const Outcome graceful = decided({.wait_status = exited(5), .killed_for = KilledFor::wall});
  CHECK(graceful.exit_code == 5);
  CHECK_FALSE(graceful.signal);
  CHECK(graceful.reason.limit == "1m");
  const Outcome killed_first = decided({.killed_for = KilledFor::cpu, .init_died = true});
  CHECK_FALSE(killed_first.exit_code);
  CHECK(killed_first.signal == SIGKILL);
  CHECK(killed_first.reason.limit == "30s");
}

TEST_CASE("what did not decide the status is a warning") {
  const Outcome outcome =
      decided({.wait_status = killed(SIGTERM), .oom_kills = 2, .pids_limit_hits = 9});
  REQUIRE(outcome.warnings.size() == 2);
  CHECK(outcome.warnings[0].find("2") != std::string::npos);
  CHECK(outcome.warnings[1].find("limits.pids 128") != std::string::npos);
}

TEST_CASE("what init fails at when the command was executed is none of the set-up") {
  const Outcome outcome = decided({.init_died = true,
                                   .init_error = Error{.kind = ErrorKind::setup,
                                                       .what = "drop every capability",
                                                       .where = "step 8/9",
                                                       .sys_errno = EPERM}});
  CHECK(outcome.phase == "run");
  CHECK(outcome.reason.code == "init_died");
  CHECK(
      outcome.reason.text.starts_with("step 8/9: drop every capability (init, when the command "));
  CHECK(outcome.reason.text.find("EPERM") != std::string::npos);
  REQUIRE(outcome.error);
  CHECK(outcome.error->where == "step 8/9");
}

TEST_CASE("a setup error keeps its words and its hint") {
  const Outcome outcome = decided({.setup_error = Error{.kind = ErrorKind::setup,
                                                        .what = "bind /usr",
                                                        .where = "step 3/9",
                                                        .hint = "try this",
                                                        .sys_errno = EPERM}});
  CHECK(outcome.phase == "setup");
  CHECK(outcome.reason.text.find("step 3/9: bind /usr") == 0);
  CHECK(outcome.reason.text.find("EPERM") != std::string::npos);
  CHECK(outcome.reason.text.find("try this") != std::string::npos);
  REQUIRE(outcome.error);
  CHECK(outcome.error->hint == "try this");
}
