// What is said through a live run's socket, by friend and foe, and the names of its file.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/un.h>

#include <nlohmann/json.hpp>
#include <string>

#include "supervise/control_protocol.hpp"
#include "supervise/live_json.hpp"
#include "supervise/outcome.hpp"
#include "supervise/registry.hpp"

using namespace sbx;
using namespace sbx::supervise;
using Json = nlohmann::json;

TEST_CASE("a request reads back as it was written") {
  for (const Action action : {Action::kill, Action::pause, Action::resume, Action::stats}) {
    const std::string line = to_line({action});
    CHECK(line.ends_with('\n'));
    CHECK(line.size() < kLongestRequest);
    const auto request = parse_request(line);
    REQUIRE(request);
    CHECK(request->action == action);
    CHECK(request->signal == SIGKILL);
  }
  const auto request = parse_request(to_line({Action::kill, SIGUSR2}));
  REQUIRE(request);
  CHECK(request->signal == SIGUSR2);
}

TEST_CASE("what is no request is refused, and nothing is made of it") {
  const std::string hostile[] = {
      "",
      "\n",
      "kill",
      "\"kill\"",
      "[]",
      "null",
      "{}",
      "{",
      R"({"do":"kill")",
      R"({"do":null})",
      R"({"do":"KILL"})",
      R"({"do":"kill "})",
      R"({"do":["kill"]})",
      R"({"do":{"do":"kill"}})",
      R"({"do":"kill"}{"do":"kill"})",
      R"({"do":"kill","signal":"STOP"})",
      R"({"do":"kill","signal":"CONT"})",
      R"({"do":"kill","signal":15})",
      R"({"do":"kill","signal":null})",
      R"({"do":"kill","signal":""})",
      R"({"do":"pause","signal":"TERM"})",
      "{\"do\":\"ki\xffll\"}",
      std::string("{\"do\":\"kill\0\"}", 14),
      std::string(kLongestRequest, '['),
      std::string(kLongestRequest + 1, ' ') + R"({"do":"kill"})",
      R"({"do":")" + std::string(kLongestRequest, 'k') + R"("})",
  };
  for (const std::string& line : hostile) {
    CAPTURE(line);
    const auto request = parse_request(line);
    REQUIRE_FALSE(request);
    const Json answer = Json::parse(refused(request.error()));
    CHECK(answer["ok"] == false);
    CHECK(answer["error"].get<std::string>() == request.error());
  }
  // Keys that this version does not know are for later ones.
  CHECK(parse_request(R"({"do":"stats","later":1})"));
}

TEST_CASE("answers read back, and rubbish is no answer") {
  CHECK(parse_answer(accepted()).has_value());
  CHECK(parse_answer(accepted())->run.empty());
  CHECK(parse_answer(accepted(R"({"id":"x"})"))->run == R"({"id":"x"})");
  CHECK(parse_answer(refused("no \"way\"\n")).error() == R"(no "way"\n)");
  for (const char* line : {"", "{}", "[]", "true", R"({"ok":1})", R"({"ok":true,"run":"x"})",
                           R"({"ok":true,"run":null})", R"({"ok":true)"}) {
    CAPTURE(line);
    REQUIRE_FALSE(parse_answer(line));
    CHECK(parse_answer(line).error() == "its answer makes no sense");
  }
  CHECK(parse_answer(R"({"ok":false})").error().empty());
}

TEST_CASE("signals have their names with and without SIG") {
  CHECK(signal_number("TERM") == SIGTERM);
  CHECK(signal_number("SIGTERM") == SIGTERM);
  CHECK(signal_number("SIGKILL") == SIGKILL);
  for (const char* name : {"", "SIG", "term", "9", "STOP", "TSTP", "CONT", "CHLD", "SIGSIGTERM"})
    CHECK_FALSE(signal_number(name));
  CHECK(signal_names().starts_with("TERM, INT, "));
}

TEST_CASE("only the names of runs' files are taken for such") {
  const auto file = parse_run_file("20260102-030405-9f86d081.4711.sock");
  REQUIRE(file);
  CHECK(file->run == "20260102-030405-9f86d081");
  CHECK(file->supervisor == 4711);
  CHECK(file->name() == "20260102-030405-9f86d081.4711.sock");
  for (const char* name : {"",
                           ".",
                           "..",
                           "ids.lock",
                           ".sock",
                           "x.sock",
                           "a.1.sock ",
                           "a..sock",
                           "a.0.sock",
                           "a.-1.sock",
                           "a.+1.sock",
                           "a.1x.sock",
                           "a.1.2.sock",
                           "../a.1.sock",
                           "g.1.sock",
                           "a.99999999999.sock",
                           "A.1.sock",
                           ".1.sock",
                           "a.1..sock",
                           "a.1.-x.sock",
                           "a.1.x/y.sock",
                           "a.1.x y.sock",
                           "a.x.1.sock",
                           "a.1.x\n.sock"})
    CHECK_FALSE_MESSAGE(parse_run_file(name), name);
}

TEST_CASE("a run's file has the name that it was given behind the process id") {
  const std::string id = "20260102-030405-9f86d081";
  for (const std::string given : {"", "web", "a.sock", "web.1_a-B", "7z", "x"}) {
    CAPTURE(given);
    const std::string name = RunFile{id, 4711, given}.name();
    const auto file = parse_run_file(name);
    REQUIRE(file);
    CHECK(file->run == id);
    CHECK(file->supervisor == 4711);
    CHECK(file->given == given);
    CHECK(file->name() == name);
  }
  // The longest has to fit in a socket's path, behind the longest of descriptors and process ids.
  CHECK(("/proc/self/fd/1048576/" + RunFile{id, 4194304, std::string(40, 'x')}.name()).size() <
        sizeof(sockaddr_un::sun_path));
}

TEST_CASE("what could be part of an id is no name of a run") {
  for (const char* name :
       {"web", "a.b", "7z", "A", "CAFE", "run-42", "x_", "20260102-030405-9f86d081.",
        "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "0123456789012345678901234"})
    CHECK_MESSAGE(is_given_name(name), name);
  for (const char* name :
       {"", ".", "..", "-", "-x", "_x", ".x", "x/y", "x y", "x\n", "\x1b", "\xc3\xa9", "x:", "x*",
        "0", "cafe", "2026-01", "20260102-030405-9f86d081", "a--"})
    CHECK_FALSE_MESSAGE(is_given_name(name), name);
  CHECK(is_given_name(std::string(40, 'x')));
  CHECK_FALSE(is_given_name(std::string(41, 'x')));
  CHECK_FALSE(is_given_name(std::string_view("x\0y", 3)));
}

TEST_CASE("a live run has a figure or null, and a command that ends") {
  plan::Plan plan;
  plan.run_id = "20260102-030405-9f86d081";
  plan.profile_name = "default";
  plan.argv = {"echo", "a b", "\xff\n"};
  LiveRun live;
  live.pid = 7;
  live.elapsed = 1500 * kMillisecond;
  live.usage.memory_now = 5;
  Json json = Json::parse(to_json(live, plan));
  CHECK(json["elapsed_ms"] == 1500);
  CHECK(json["memory"]["bytes"] == 5);
  CHECK(json["memory"]["peak_bytes"].is_null());
  CHECK(json["memory"]["limit_bytes"].is_null());  // no cgroup enforces it
  CHECK(json["cpu_ms"]["user"].is_null());
  CHECK(json["command"] == R"(echo 'a b' $'\xff\n')");
  CHECK(json["name"].is_null());
  const Json schema = Json::parse(live_schema());
  for (const auto& [key, value] : json.items()) CHECK(schema["properties"].contains(key));
  CHECK(schema["properties"].size() == json.size());

  plan.argv = {std::string(1U << 20U, 'x'), "y"};
  plan.isolation.cgroup = "v2";
  live.paused = true;
  plan.run_name = "web";
  json = Json::parse(to_json(live, plan));
  CHECK(json["command"].get<std::string>().size() < 5000);
  CHECK(json["state"] == "paused");
  CHECK(json["name"] == "web");
  CHECK(json["memory"]["limit_bytes"] == 512U << 20U);
  plan.argv.assign(100'000, "'\n");
  CHECK(accepted(to_json(live, plan)).size() < kLongestAnswer);
}

TEST_CASE("a run that was killed by sbx kill says so, and one that was not does not") {
  struct Case {
    Evidence evidence;
    Status status;
    int code;
  };
  const int of_kill = SIGKILL;  // as waitpid(2) has it
  const int exited_with_3 = 3 << 8;
  const Case cases[] = {
      {{.wait_status = of_kill, .killed_for = KilledFor::command}, Status::interrupted, 137},
      {{.killed_for = KilledFor::command, .init_died = true}, Status::interrupted, 137},
      {{.wait_status = exited_with_3, .killed_for = KilledFor::command}, Status::nonzero, 3},
      {{.wait_status = SIGUSR1, .command_signal = SIGUSR1}, Status::interrupted, 138},
      {{.wait_status = exited_with_3, .command_signal = SIGUSR1}, Status::nonzero, 3},
      {{.wait_status = SIGSEGV, .command_signal = SIGUSR1}, Status::signal, 139},
  };
  for (const Case& each : cases) {
    Outcome outcome;
    decide(each.evidence, {}, outcome);
    CHECK(outcome.status == each.status);
    CHECK(outcome.process_exit == each.code);
    const bool killed = each.status == Status::interrupted;
    CHECK(outcome.reason.text.contains("killed by sbx kill") == killed);
    CHECK((outcome.reason.code == "killed") == killed);
  }
}
