// The shape of the result object, and its schema.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "supervise/outcome.hpp"
#include "supervise/result_json.hpp"

using namespace sbx;
using namespace sbx::supervise;
using Json = nlohmann::json;

namespace {

plan::Plan some_plan() {
  plan::Plan plan;
  plan.run_id = "r1";
  plan.profile_name = "default";
  plan.profile_sha256 = std::string(64, 'a');
  plan.argv = {"prog", "\xff"};
  plan.isolation.cgroup = "v2";
  return plan;
}

Outcome ended_well(const plan::Plan& plan) {
  Outcome outcome;
  decide({.wait_status = 0}, plan, outcome);
  return outcome;
}

}  // namespace

TEST_CASE("the result object has the contract's fields in its order") {
  plan::Plan plan = some_plan();
  Outcome outcome = ended_well(plan);
  const auto json = nlohmann::ordered_json::parse(to_json(outcome, plan));
  const std::vector<std::string> expected{
      "schema",    "id",         "profile",    "argv",     "status",      "reason",  "phase",
      "exit_code", "signal",     "started_at", "wall_ms",  "setup_ms",    "cpu_ms",  "memory",
      "pids",      "io",         "pressure",   "output",   "denials",     "network", "changes",
      "artifacts", "redactions", "isolation",  "warnings", "undelivered", "timing"};
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
  Outcome outcome = ended_well(plan);
  const Json json = Json::parse(to_json(outcome, plan));
  for (const char* group : {"cpu_ms", "io", "pids"})
    for (const auto& value : json[group]) CHECK(value.is_null());
  CHECK(json["memory"]["peak_bytes"].is_null());
  CHECK(json["memory"]["oom_kills"].is_null());
  CHECK(json["memory"]["high_events"].is_null());
  for (const auto& waited : json["pressure"])
    for (const auto& value : waited) CHECK(value.is_null());
  CHECK(json["memory"]["limit_bytes"] == 512U << 20U);
  CHECK(json["output"]["stdout"]["bytes"].is_null());
  CHECK(json["output"]["stdout"]["sha256"].is_null());
  CHECK_FALSE(json["output"]["stdout"].contains("text"));
  CHECK(json["denials"].is_null());
  CHECK(json["timing"].is_null());
  CHECK(json["network"]["connections"] == Json::array());

  plan.isolation.cgroup = "none";
  CHECK(Json::parse(to_json(outcome, plan))["memory"]["limit_bytes"].is_null());
}

TEST_CASE("a denial says what would allow it, and null where nothing would") {
  const plan::Plan plan = some_plan();
  Outcome outcome = ended_well(plan);
  outcome.denials.emplace();
  CHECK(Json::parse(to_json(outcome, plan))["denials"] == Json::array());
  outcome.denials->push_back({.operation = "socket", .target = "AF_PACKET", .count = 7});
  outcome.denials->push_back({.operation = "ptrace",
                              .pid = 3,
                              .comm = "g\xff",
                              .count = 1,
                              .passed = true,
                              .allow_with = "seccomp: {allow: [ptrace]}"});
  const Json json = Json::parse(to_json(outcome, plan))["denials"];
  CHECK(json[0] == Json::parse(R"({"kind": "syscall", "operation": "socket", "target": "AF_PACKET",
    "syscall": "socket", "reason": null, "pid": null, "comm": null, "count": 7, "passed": false,
    "allow_with": null})"));
  CHECK(json[1] == Json::parse(R"({"kind": "syscall", "operation": "ptrace", "target": null,
    "syscall": "ptrace", "reason": null, "pid": 3, "comm": "g\ufffd", "count": 1, "passed": true,
    "allow_with": "seccomp: {allow: [ptrace]}"})"));
  CHECK(denial_text(outcome.denials->front()) == "socket(AF_PACKET), 7 times");
  CHECK(denial_text(outcome.denials->back()) == "ptrace, by g\xff");
}

TEST_CASE("kept output is text when it can be, else base64") {
  plan::Plan plan = some_plan();
  Outcome outcome = ended_well(plan);
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
  if (schema.contains("$ref")) {
    const std::string name =
        schema["$ref"].get<std::string>().substr(std::string("#/$defs/").size());
    return check_known(value, root["$defs"][name], root, where);
  }
  if (value.is_array() && schema.contains("items"))
    for (const Json& item : value) check_known(item, schema["items"], root, where + "[]");
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
  Outcome outcome = ended_well(plan);
  outcome.out = {.captured = "a", .keep_text = true};
  outcome.err = {.captured = "\xFF", .keep_text = true};
  outcome.timing = Timing{.rows = {{.process = "init", .kind = "k"}}};
  const Json schema = Json::parse(result_schema());
  check_known(Json::parse(to_json(outcome, plan)), schema, schema, "result");
  std::set<std::string> statuses;
  for (const Json& status : schema["properties"]["status"]["enum"])
    statuses.insert(status.get<std::string>());
  for (int i = 0; i <= static_cast<int>(Status::internal_error); ++i)
    CHECK(statuses.erase(std::string(to_string(static_cast<Status>(i)))) == 1);
  CHECK(statuses.empty());
}
