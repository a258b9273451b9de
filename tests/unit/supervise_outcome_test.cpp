// From evidence to status, and the shape of the result object.
#include <doctest/doctest.h>
#include <signal.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "supervise/outcome.hpp"
#include "supervise/result_json.hpp"

using namespace sbx;
using namespace sbx::supervise;
using Json = nlohmann::json;

namespace {

int exited(int code) { return code << 8; }
int killed(int signal) { return signal; }

plan::Plan some_plan() {
  plan::Plan plan;
  plan.run_id = "r1";
  plan.profile_name = "default";
  plan.profile_sha256 = std::string(64, 'a');
  plan.argv = {"prog", "\xff"};
  plan.supervision.wall = std::chrono::seconds{60};
  plan.supervision.cpu = std::chrono::seconds{30};
  plan.supervision.output.stdout_bytes = 100;
  plan.isolation.cgroup = "v2";
  return plan;
}

Outcome decided(const Evidence& evidence, const plan::Plan& plan = some_plan()) {
  Outcome outcome;
  decide(evidence, plan, outcome);
  return outcome;
}

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
  const Outcome cpu = decided({.wait_status = killed(SIGXCPU)}, plan);
  CHECK(cpu.status == Status::cpu_limit);
  CHECK(cpu.process_exit == 124);
  CHECK(cpu.signal == SIGXCPU);
  const Outcome file = decided({.wait_status = killed(SIGXFSZ)}, plan);
  CHECK(file.status == Status::disk_limit);
  CHECK(file.process_exit == 153);
  CHECK(file.reason.limit == "1M");
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

TEST_CASE("the result object has the contract's fields in its order") {
  plan::Plan plan = some_plan();
  Outcome outcome = decided({.wait_status = exited(0)}, plan);
  const auto json = nlohmann::ordered_json::parse(to_json(outcome, plan));
  const std::vector<std::string> expected{
      "schema",  "id",        "profile",   "argv",       "status",    "reason",
      "phase",   "exit_code", "signal",    "started_at", "wall_ms",   "setup_ms",
      "cpu_ms",  "memory",    "pids",      "io",         "output",    "denials",
      "network", "changes",   "artifacts", "redactions", "isolation", "warnings"};
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  CHECK(keys == expected);
  CHECK(json["schema"] == "sbx.result/1");
  CHECK(json["argv"][1] == "\xEF\xBF\xBD");
  CHECK(json["exit_code"] == 0);
  CHECK(json["signal"].is_null());
  CHECK(to_json(outcome, plan).find('\n') == std::string::npos);
}

TEST_CASE("a figure that was not measured is null") {
  plan::Plan plan = some_plan();
  Outcome outcome = decided({.wait_status = exited(0)}, plan);
  const Json json = Json::parse(to_json(outcome, plan));
  for (const char* group : {"cpu_ms", "io", "pids"})
    for (const auto& value : json[group]) CHECK(value.is_null());
  CHECK(json["memory"]["peak_bytes"].is_null());
  CHECK(json["memory"]["oom_kills"].is_null());
  CHECK(json["memory"]["limit_bytes"] == 512U << 20U);
  CHECK(json["output"]["stdout"]["bytes"].is_null());
  CHECK(json["output"]["stdout"]["sha256"].is_null());
  CHECK_FALSE(json["output"]["stdout"].contains("text"));
  CHECK(json["denials"].is_null());
  CHECK(json["network"]["connections"] == Json::array());

  plan.isolation.cgroup = "none";
  CHECK(Json::parse(to_json(outcome, plan))["memory"]["limit_bytes"].is_null());
}

TEST_CASE("kept output is text when it can be, else base64") {
  plan::Plan plan = some_plan();
  Outcome outcome = decided({.wait_status = exited(0)}, plan);
  outcome.metered = true;
  outcome.out = {.captured = "h\xC3\xA9", .keep_text = true, .bytes = 3, .sha256 = "x"};
  outcome.err = {.captured = "\xFF\x00z", .keep_text = true, .bytes = 3, .sha256 = "y"};
  outcome.err.captured = std::string("\xFF\0z", 3);
  outcome.usage.cpu_user_us = 1234;
  const Json json = Json::parse(to_json(outcome, plan));
  CHECK(json["output"]["stdout"]["text"] == "h\xC3\xA9");
  CHECK(json["output"]["stdout"]["bytes"] == 3);
  CHECK(json["output"]["stdout"]["truncated"] == false);
  CHECK(json["output"]["stderr"]["base64"] == "/wB6");
  CHECK_FALSE(json["output"]["stderr"].contains("text"));
  CHECK(json["cpu_ms"]["user"] == 1.234);
}

namespace {

/// Every key of `value` has to be named in `schema`, all the way down.
void check_known(const Json& value, const Json& schema, const Json& root,
                 const std::string& where) {
  CAPTURE(where);
  if (schema.contains("$ref")) return check_known(value, root["$defs"]["stream"], root, where);
  if (!value.is_object()) return;
  REQUIRE(schema.contains("properties"));
  for (const auto& [key, member] : value.items()) {
    CAPTURE(key);
    REQUIRE(schema["properties"].contains(key));
    check_known(member, schema["properties"][key], root, where + "." + key);
  }
  if (schema.contains("required"))
    for (const Json& key : schema["required"]) CHECK(value.contains(key.get<std::string>()));
}

}  // namespace

TEST_CASE("the result schema knows every key that is written") {
  plan::Plan plan = some_plan();
  Outcome outcome = decided({.wait_status = exited(0)}, plan);
  outcome.out = {.captured = "a", .keep_text = true};
  outcome.err = {.captured = "\xFF", .keep_text = true};
  const Json schema = Json::parse(result_schema());
  check_known(Json::parse(to_json(outcome, plan)), schema, schema, "result");
  std::set<std::string> statuses;
  for (const Json& status : schema["properties"]["status"]["enum"])
    statuses.insert(status.get<std::string>());
  for (int i = 0; i <= static_cast<int>(Status::internal_error); ++i)
    CHECK(statuses.erase(std::string(to_string(static_cast<Status>(i)))) == 1);
  CHECK(statuses.empty());
}
