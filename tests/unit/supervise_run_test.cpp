// Whole runs of the supervisor over a fake sandbox: streams, limits, what is told.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "supervise_run.hpp"

using namespace sbx;
using namespace sbx::supervise;
using namespace sbx::supervise::testing;
using Json = nlohmann::json;
using std::chrono::milliseconds;

TEST_CASE("a run gives its output, its code and nothing else") {
  const Ran ran = run("cat; echo oops >&2; exit 3", {}, "some input\n");
  CHECK(ran.out == "some input\n");
  CHECK(ran.err == "oops\n");
  CHECK(ran.outcome.status == Status::nonzero);
  CHECK(ran.outcome.process_exit == 3);
  CHECK(ran.outcome.exit_code == 3);
  CHECK(ran.outcome.wall_ms > 0);
}

TEST_CASE("a run waits for its turn, and tells when nothing of it lives any more") {
  bool had_turn = false;
  int ended = 0;
  Sinks sinks;
  sinks.await_turn = [&](int interrupt) -> Result<void> {
    CHECK(interrupt >= 0);
    ::usleep(200'000);
    had_turn = true;
    return {};
  };
  sinks.tree_ended = [&] {
    CHECK(had_turn);
    ++ended;
  };
  const Ran ran = run("echo out", {}, "", sinks);
  CHECK(ran.outcome.status == Status::ok);
  CHECK(ended == 1);
  CHECK(ran.outcome.setup_ms < 200);  // it did not set up while it waited
}

namespace {

/// For one test: init has hung up from the start, and says that nobody (or somebody) is left.
class HungUp {
 public:
  explicit HungUp(bool empty) {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    ::close(ends[1]);
    end_.reset(ends[0]);
    FakeSandbox::end = end_.get();
    FakeSandbox::empty = empty;
  }
  HungUp(const HungUp&) = delete;
  HungUp& operator=(const HungUp&) = delete;
  ~HungUp() {
    FakeSandbox::end = -1;
    FakeSandbox::empty = false;
  }

 private:
  os::UniqueFd end_;
};

}  // namespace

TEST_CASE("an init that is alone needs not have ended for the run to have") {
  const HungUp hung_up(true);
  Nanos payload = 0;
  Nanos tree = 0;
  Sinks sinks;
  sinks.payload_ended = [&] { payload = now_ns(); };
  sinks.tree_ended = [&] { tree = now_ns(); };
  const Ran ran = run("sleep 0.3; exit 3", {}, "", sinks);
  const Nanos returned = now_ns();
  CHECK(ran.outcome.process_exit == 3);
  CHECK(payload > 0);
  CHECK(tree >= payload);
  CHECK(returned - tree > 200 * kMillisecond);  // it is waited for all the same
  CHECK(ran.outcome.wall_ms < 200);
}

TEST_CASE("an init that is not alone is waited for, and not by looking all the time") {
  const HungUp hung_up(false);
  Sinks sinks;
  sinks.payload_ended = [] { CHECK(false); };
  const std::clock_t before = std::clock();
  const Ran ran = run("sleep 0.5; exit 3", {}, "", sinks);
  CHECK(ran.outcome.process_exit == 3);
  CHECK(ran.outcome.wall_ms > 400);
  CHECK(std::clock() - before < CLOCKS_PER_SEC / 10);
}

TEST_CASE("a run that is asked to end before its turn has never been") {
  Sinks sinks;
  sinks.await_turn = [](int) -> Result<void> {
    return std::unexpected(Error{.kind = ErrorKind::setup, .what = "asked", .sys_errno = EINTR});
  };
  sinks.tree_ended = [] { CHECK(false); };
  const Ran ran = run("echo out", {}, "", sinks);
  CHECK(ran.outcome.status != Status::ok);
  CHECK(ran.out.empty());
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
