// The event stream: its lines, its numbers, and readers that are slow or gone.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "os/pipe.hpp"
#include "supervise/events.hpp"
#include "supervise/result_json.hpp"

using namespace sbx;
using namespace sbx::supervise;
using Json = nlohmann::json;

namespace {

struct Reader {
  os::Pipe pipe;
  EventLog log;
  std::string text{};

  Reader() : pipe(std::move(*os::make_pipe(0))), log(Sink(pipe.write.get(), FileKind::fifo), 0) {
    REQUIRE(os::set_nonblocking(pipe.read.get()));
  }
  void take() {
    char chunk[65536];
    for (ssize_t got; (got = ::read(pipe.read.get(), chunk, sizeof chunk)) > 0;)
      text.append(chunk, static_cast<std::size_t>(got));
  }
  std::vector<Json> lines(Nanos now = 0) {
    while (!log.idle()) {
      log.step(now);
      take();
    }
    std::vector<Json> parsed;
    for (const std::string_view line : split(text, '\n'))
      if (!line.empty()) parsed.push_back(Json::parse(line));
    return parsed;
  }
};

}  // namespace

TEST_CASE("events are numbered, timed lines of JSON, and the result is last") {
  Reader reader;
  reader.log.start(5 * kMillisecond, 42, "20260102-030405-9f86d081");
  reader.log.output(6 * kMillisecond, 1, "hello\n");
  reader.log.output(6 * kMillisecond, 2, "\xFF");
  reader.log.signal_sent(7 * kMillisecond, 15, "wall_limit");
  reader.log.warning(7 * kMillisecond, "memory_high", "a \"word\"");
  Outcome outcome;
  outcome.signal = 15;
  reader.log.exit(8 * kMillisecond, outcome);
  reader.log.result(9 * kMillisecond, R"({"schema":"sbx.result/1"})");
  const std::vector<Json> lines = reader.lines();
  REQUIRE(lines.size() == 7);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CHECK(lines[i]["v"] == 1);
    CHECK(lines[i]["seq"] == i);
  }
  CHECK(lines[0]["type"] == "start");
  CHECK(lines[0]["t_ms"] == 5);
  CHECK(lines[0]["pid"] == 42);
  CHECK(lines[1]["text"] == "hello\n");
  CHECK(lines[2]["type"] == "stderr");
  CHECK(lines[2]["base64"] == "/w==");
  CHECK(lines[3]["reason"] == "wall_limit");
  CHECK(lines[4]["type"] == "warning");
  CHECK(lines[4]["code"] == "memory_high");
  CHECK(lines[4]["text"] == "a \"word\"");
  CHECK(lines[5]["exit_code"].is_null());
  CHECK(lines[5]["signal"] == 15);
  CHECK(lines[6]["result"]["schema"] == "sbx.result/1");

  std::set<std::string> known;
  const Json schema = Json::parse(event_schema());
  for (const auto& [key, value] : schema["properties"].items()) known.insert(key);
  for (const Json& kind : schema["oneOf"])
    for (const auto& [key, value] : kind["properties"].items()) known.insert(key);
  for (const Json& line : lines)
    for (const auto& [key, value] : line.items()) CHECK(known.contains(key));
}

TEST_CASE("a character that comes in two pieces stays text") {
  Reader reader;
  reader.log.output(0, 1, "a\xE2\x82");
  reader.log.output(0, 2, "other");
  reader.log.output(0, 1,
                    "\xAC"
                    "b");
  reader.log.output(0, 1, "\xC3");
  reader.log.exit(0, {});
  const std::vector<Json> lines = reader.lines();
  REQUIRE(lines.size() == 5);
  CHECK(lines[0]["text"] == "a");
  CHECK(lines[1]["text"] == "other");
  CHECK(lines[2]["text"] ==
        "\xE2\x82\xAC"
        "b");
  CHECK(lines[3]["base64"] == "ww==");
}

TEST_CASE("figures of use stand in a line of their own, but not before a stuck reader") {
  Reader reader;
  reader.log.usage(5 * kMillisecond, R"({"cpu_ms":{},"memory":{"bytes":7},"pids":{},"io":{}})");
  const std::vector<Json> lines = reader.lines();
  REQUIRE(lines.size() == 1);
  CHECK(lines[0]["type"] == "usage");
  CHECK(lines[0]["memory"]["bytes"] == 7);
  for (int i = 0; i < 20; ++i) reader.log.output(0, 1, std::string(100'000, 'x'));
  reader.log.step(0);
  reader.log.step(5 * kSecond);
  REQUIRE(reader.log.stalled());
  for (int i = 0; i < 100; ++i) reader.log.usage(6 * kSecond, "{}");
  CHECK(reader.lines(7 * kSecond).size() == 21);
}

TEST_CASE("a slow reader holds output back, and a stuck one only loses it") {
  Reader reader;
  const std::string piece(100'000, 'x');
  for (int i = 0; i < 20; ++i) reader.log.output(0, 1, piece);
  reader.log.step(0);
  CHECK(reader.log.congested());
  CHECK(reader.log.next() == 5 * kSecond);
  reader.log.step(5 * kSecond);
  CHECK(reader.log.stalled());
  CHECK_FALSE(reader.log.congested());
  for (int i = 0; i < 100; ++i) reader.log.output(6 * kSecond, 1, piece);
  reader.log.exit(7 * kSecond, {});
  const std::vector<Json> lines = reader.lines(8 * kSecond);
  CHECK(lines.size() == 21);
  CHECK(lines.back()["type"] == "exit");
  CHECK(lines.back()["seq"] == 120);  // the gap tells
  reader.text.clear();
  reader.log.output(9 * kSecond, 1, "again");
  CHECK(reader.lines(9 * kSecond).size() == 1);
}

TEST_CASE("a reader that is gone costs nothing, and is known") {
  ::signal(SIGPIPE, SIG_IGN);
  Reader reader;
  reader.pipe.read.reset();
  reader.log.start(0, 1, "x");
  CHECK(reader.log.lost() == 0);
  reader.log.step(0);
  CHECK(reader.log.idle());
  CHECK(reader.log.lost() == EPIPE);
  CHECK_FALSE(reader.log.enabled());
  reader.log.output(0, 1, "x");
  CHECK(reader.log.idle());
  ::signal(SIGPIPE, SIG_DFL);
}
