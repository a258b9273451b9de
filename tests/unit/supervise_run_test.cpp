// Whole runs of the supervisor over a fake sandbox (supervise_fake.hpp): streams, limits, signals.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "supervise/supervisor.hpp"
#include "supervise_fake.hpp"

using namespace sbx;
using namespace sbx::supervise;
using Json = nlohmann::json;
using std::chrono::milliseconds;

namespace {

os::UniqueFd scratch_file(std::string_view content = "") {
  char name[] = "/tmp/sbx-unit-XXXXXX";
  os::UniqueFd file(::mkostemp(name, O_CLOEXEC));
  REQUIRE(file.valid());
  ::unlink(name);
  REQUIRE(::write(file.get(), content.data(), content.size()) ==
          static_cast<ssize_t>(content.size()));
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::string content_of(const os::UniqueFd& file) {
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  std::string text(static_cast<std::size_t>(size), '\0');
  REQUIRE(::pread(file.get(), text.data(), text.size(), 0) == size);
  return text;
}

struct Ran {
  Outcome outcome;
  std::string out;
  std::string err;
  double seconds = 0;
};

/// Runs `script` with our own 0, 1 and 2 replaced by files meanwhile.
Ran run(const std::string& script, plan::Supervision how = {}, std::string_view input = "",
        const Sinks& sinks = {}, bool one_file = false) {
  plan::Plan plan;
  plan.argv = {script};
  plan.supervision = how;
  const os::UniqueFd in = scratch_file(input);
  const os::UniqueFd out = scratch_file();
  const os::UniqueFd err = scratch_file();
  const int with[] = {in.get(), out.get(), one_file ? out.get() : err.get()};
  os::UniqueFd saved[3];
  for (int fd = 0; fd < 3; ++fd) {
    saved[fd].reset(::fcntl(fd, F_DUPFD_CLOEXEC, 10));
    ::dup2(with[fd], fd);
  }
  Ran ran;
  const Nanos begin = now_ns();
  ran.outcome = supervise::supervise(plan, sinks, testing::fake_launch);
  ran.seconds = static_cast<double>(now_ns() - begin) / kSecond;
  for (int fd = 0; fd < 3; ++fd) ::dup2(saved[fd].get(), fd);
  ran.out = content_of(out);
  ran.err = content_of(err);
  return ran;
}

}  // namespace

TEST_CASE("a run gives its output, its code and nothing else") {
  const Ran ran = run("cat; echo oops >&2; exit 3", {}, "some input\n");
  CHECK(ran.out == "some input\n");
  CHECK(ran.err == "oops\n");
  CHECK(ran.outcome.status == Status::nonzero);
  CHECK(ran.outcome.process_exit == 3);
  CHECK(ran.outcome.exit_code == 3);
  CHECK(ran.outcome.wall_ms > 0);
}

TEST_CASE("streams into one file keep the order of the writes") {
  const Ran ran = run("i=0; while [ $i -lt 200 ]; do echo o$i; echo e$i >&2; i=$((i+1)); done", {},
                      "", {}, true);
  std::string expected;
  for (int i = 0; i < 200; ++i)
    expected += "o" + std::to_string(i) + "\ne" + std::to_string(i) + "\n";
  CHECK(ran.out == expected);
}

TEST_CASE("what is written right before the end is not lost") {
  for (const bool meter : {false, true}) {
    plan::Supervision how;
    how.meter = meter;
    const Ran ran =
        run("head -c 3000000 /dev/zero | tr '\\0' x; head -c 500000 /dev/zero >&2", how);
    CHECK(ran.out == std::string(3'000'000, 'x'));
    CHECK(ran.err == std::string(500'000, '\0'));
    CHECK(ran.outcome.status == Status::ok);
    if (meter) CHECK(ran.outcome.out.bytes == 3'000'000);
  }
}

TEST_CASE("a payload that does not read its input does not keep the run, nor the input") {
  const os::UniqueFd pad = scratch_file();
  const std::string lines(3'000'000, 'l');
  const Ran ran = run("echo done", {}, lines);
  CHECK(ran.out == "done\n");
  CHECK(ran.seconds < 5);
}

TEST_CASE("the wall limit kills at once without grace") {
  plan::Supervision how;
  how.wall = milliseconds{150};
  const Ran ran = run("trap '' TERM; echo begun; sleep 30", how);
  CHECK(ran.outcome.status == Status::timeout);
  CHECK(ran.outcome.process_exit == 124);
  CHECK(ran.outcome.signal == SIGKILL);
  CHECK(ran.out == "begun\n");
  CHECK(ran.outcome.wall_ms >= 150);
  CHECK(ran.seconds < 10);
}

TEST_CASE("the grace time lets a payload say goodbye") {
  plan::Supervision how;
  how.wall = milliseconds{300};
  how.grace = milliseconds{20'000};
  const Ran ran = run("trap 'echo bye; exit 9' TERM; while :; do sleep 0.02; done", how);
  CHECK(ran.outcome.status == Status::timeout);
  CHECK(ran.outcome.process_exit == 124);
  CHECK(ran.outcome.exit_code == 9);
  CHECK(ran.out == "bye\n");
  CHECK(ran.seconds < 15);
}

TEST_CASE("the grace time ends") {
  plan::Supervision how;
  how.wall = milliseconds{100};
  how.grace = milliseconds{200};
  const Ran ran = run("trap '' TERM; while :; do sleep 0.02; done", how);
  CHECK(ran.outcome.status == Status::timeout);
  CHECK(ran.outcome.signal == SIGKILL);
  CHECK(ran.outcome.wall_ms >= 300);
}

TEST_CASE("silence ends a run with an idle limit, output puts it off") {
  plan::Supervision how;
  how.idle = milliseconds{700};
  const Ran ran = run("for i in 1 2 3 4 5 6; do echo $i; sleep 0.2; done; sleep 30", how);
  CHECK(ran.outcome.status == Status::idle_timeout);
  CHECK(ran.out == "1\n2\n3\n4\n5\n6\n");
  CHECK(ran.outcome.wall_ms >= 1700);
}

TEST_CASE("a flood ends a run whose cap kills") {
  plan::Supervision how;
  how.output.stdout_bytes = 1000;
  how.output.on_exceed = profile::OnExceed::kill;
  const Ran ran = run("while :; do echo flood; done", how);
  CHECK(ran.outcome.status == Status::output_limit);
  CHECK(ran.outcome.process_exit == 153);
  CHECK(ran.out.size() == 1000);
  CHECK(ran.outcome.reason.limit == "1KB");
}

TEST_CASE("a flood is cut where the cap truncates") {
  plan::Supervision how;
  how.output.stdout_bytes = 20;
  const Ran ran = run("seq 1 1000", how);
  CHECK(ran.outcome.status == Status::ok);
  CHECK(ran.out == "1\n2\n3\n4\n5\n\n[sbx: 3873 bytes dropped]\n\n999\n1000\n");
}

TEST_CASE("captured output is in the result and nowhere else") {
  plan::Supervision how;
  how.capture = how.meter = true;
  const os::UniqueFd result = scratch_file();
  const Ran ran = run("printf abc; printf '\\377' >&2", how, "", {.results = {result.get()}});
  CHECK(ran.out.empty());
  CHECK(ran.err.empty());
  const std::string line = content_of(result);
  CHECK(line.back() == '\n');
  const Json json = Json::parse(line);
  CHECK(json["output"]["stdout"]["text"] == "abc");
  CHECK(json["output"]["stdout"]["bytes"] == 3);
  CHECK(json["output"]["stdout"]["sha256"] ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(json["output"]["stderr"]["base64"] == "/w==");
  CHECK(json["cpu_ms"]["user"].is_number());
  CHECK(json["memory"]["peak_bytes"].is_null());
}

TEST_CASE("events tell a run from start to result") {
  plan::Supervision how;
  how.meter = true;
  const os::UniqueFd events = scratch_file();
  const Ran ran = run("echo hi", how, "", {.events = events.get()});
  CHECK(ran.out == "hi\n");
  std::string types;
  std::string_view rest;
  const std::string text = content_of(events);
  rest = text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    types += Json::parse(rest.substr(0, end))["type"].get<std::string>() + " ";
    rest.remove_prefix(end + 1);
  }
  CHECK(types == "start stdout exit result ");
}

TEST_CASE("a launch that fails is told, with nothing run") {
  plan::Plan plan;
  plan.argv = {"x"};
  const Outcome outcome =
      supervise::supervise(plan, {}, [](const plan::Plan&, const launch::StdioFds&, int) {
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
  const Outcome outcome = supervise::supervise(
      plan, {},
      [](const plan::Plan&, const launch::StdioFds&, int) -> Result<std::unique_ptr<LiveSandbox>> {
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
  struct sigaction pipe{};
  ::sigaction(SIGPIPE, nullptr, &pipe);
  const bool default_again = pipe.sa_handler == SIG_DFL;
  CHECK(default_again);
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
