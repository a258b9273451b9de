// From what the clocks showed to the rows of `sbx run --timing`, and their JSON.
#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "supervise/run_clock.hpp"
#include "supervise/timing.hpp"
#include "supervise/timing_json.hpp"
#include "supervise_run.hpp"

using namespace sbx;
using namespace sbx::supervise;
using plan::Phase;

namespace {

/// The supervisor in its three phases, init in both of its, the payload.
plan::Plan small_plan() {
  plan::Plan plan;
  plan.steps = {{Phase::host, plan::ReserveHostId{5, 10}, {}, {}},
                {Phase::clone, plan::CloneNamespaces{}, {}, {}},
                {Phase::attend, plan::WriteIdMaps{}, {}, {}},
                {Phase::init, plan::AwaitIdMaps{}, {}, {}},
                {Phase::init, plan::ForkPayload{}, {}, {}},
                {Phase::guard, plan::SetDumpable{}, {}, {}},
                {Phase::payload, plan::NewNetwork{}, {}, {}},
                {Phase::payload, plan::ExecPayload{}, {}, {}}};
  return plan;
}

/// A run that took from 1000 to 1120 and did everything; the exec was seen at 1080.
Readings whole_run() {
  return {.started = 1000,
          .exec = 1080,
          .stages = {{Stage::command_line, 1000},
                     {Stage::prepare_launch, 1010},
                     {Stage::register_run, 1046},
                     {Stage::await_exec, 1048},
                     {Stage::settle, 1080},
                     {Stage::watch, 1085},
                     {Stage::report, 1110}},
          .steps = {{1020, 1025, 0},
                    {1028, 1034, 0},
                    {1040, 1045, 0},
                    {1036, 1046, 0},
                    {1047, 1049, 0},
                    {1075, 1079, 0},
                    {1050, 1070, 0},
                    {1078, 0, 0},
                    {0, 1100, 0}},
          .now = 1120};
}

const TimedRow& row(const Timing& timing, std::string_view kind) {
  const auto found = std::ranges::find(timing.rows, kind, &TimedRow::kind);
  REQUIRE_MESSAGE(found != timing.rows.end(), kind);
  return *found;
}

}  // namespace

TEST_CASE("every step and stage is a row, by start") {
  const Timing timing = timing_of(small_plan(), whole_run());
  CHECK(timing.rows.size() == 8 + 6 + 4);  // the stage under way is none
  CHECK(std::ranges::is_sorted(timing.rows, {}, &TimedRow::start));
  CHECK(row(timing, "reserve_host_id").process == "supervisor");
  CHECK(row(timing, "reserve_host_id").text == "take a host uid and gid of its own from 5 to 14");
  CHECK(row(timing, "await_id_maps").process == "init");
  CHECK(row(timing, "await_id_maps").waits);
  CHECK(row(timing, "await_id_maps").step == 4);
  CHECK(row(timing, "set_dumpable").process == "init");
  const TimedRow& network = row(timing, "new_network");
  CHECK((network.process == "payload" && network.start == 50 && network.took == 20));
  CHECK_FALSE(row(timing, "command_line").step.has_value());
  CHECK(timing.total == 120);
}

TEST_CASE("the supervisor's rows do not overlap") {
  const Timing timing = timing_of(small_plan(), whole_run());
  Nanos end = 0;
  for (const TimedRow& one : timing.rows) {
    if (one.process != "supervisor") continue;
    CAPTURE(one.kind);
    CHECK(one.start >= end);
    end = one.start + one.took.value_or(0);
  }
  CHECK(row(timing, "prepare_launch").took == 10);  // until the first step
}

TEST_CASE("a process starts when its parent has made it") {
  Readings readings = whole_run();
  readings.steps[4].end_ns = 1051;  // the payload was faster
  const Timing timing = timing_of(small_plan(), readings);
  std::vector<TimedRow> starts;
  std::ranges::copy_if(timing.rows, std::back_inserter(starts),
                       [](const TimedRow& one) { return one.kind == "start"; });
  REQUIRE(starts.size() == 2);
  CHECK((starts[0].process == "init" && starts[0].start == 34 && starts[0].took == 2));
  CHECK((starts[1].process == "payload" && starts[1].start == 50 && starts[1].took == 0));
}

TEST_CASE("the exec and the command end when they are seen to") {
  Readings readings = whole_run();
  Timing timing = timing_of(small_plan(), readings);
  CHECK(row(timing, "exec_payload").took == 2);
  CHECK(timing.exec == 80);
  CHECK(timing.command == 20);
  CHECK((row(timing, "command").start == 80 && row(timing, "command").took == 20));
  CHECK((row(timing, "end_of_tree").start == 100 && row(timing, "end_of_tree").took == 10));

  readings.exec = 1105;  // the supervisor had no processor
  timing = timing_of(small_plan(), readings);
  CHECK((timing.exec == 100 && timing.command == 0));
  CHECK(row(timing, "exec_payload").took == 22);

  readings = whole_run();
  readings.steps.back().end_ns = 0;  // init was killed with the rest
  timing = timing_of(small_plan(), readings);
  CHECK(timing.command == 30);
  CHECK(std::ranges::count(timing.rows, "end_of_tree", &TimedRow::kind) == 0);
}

TEST_CASE("the payload's clock is set back by the plan's time offset") {
  plan::Plan plan = small_plan();
  plan.steps[5].action = plan::SetTimeOffsets{.monotonic_ms = -3, .boottime_ms = 7};
  Readings readings = whole_run();
  for (const std::size_t i : {6U, 7U}) readings.steps[i].start_ns += 10'000'000 - 3'000'000;
  readings.steps[6].end_ns += 10'000'000 - 3'000'000;
  const Timing timing = timing_of(plan, readings);
  CHECK(row(timing, "new_network").start == 50 + 10'000'000);
  CHECK(row(timing, "new_network").took == 20);
  CHECK(row(timing, "set_time_offsets").start == 75);
}

TEST_CASE("a run that failed has what it reached") {
  Readings readings = whole_run();
  readings.exec.reset();
  readings.stages = {{Stage::command_line, 1000}, {Stage::await_exec, 1038}, {Stage::report, 1060}};
  readings.steps[6] = {1050, 1055, EPERM};
  readings.steps[5] = {1052, 0, 0};  // killed at it
  readings.steps[7] = {};
  readings.steps[8] = {};
  const Timing timing = timing_of(small_plan(), readings);
  CHECK_FALSE(timing.exec.has_value());
  CHECK_FALSE(timing.command.has_value());
  CHECK(std::ranges::count(timing.rows, "exec_payload", &TimedRow::kind) == 0);
  CHECK((row(timing, "new_network").error == EPERM && row(timing, "new_network").took == 5));
  CHECK_FALSE(row(timing, "set_dumpable").took.has_value());

  readings.steps.clear();  // nothing was launched
  CHECK(timing_of(small_plan(), readings).rows.size() == 2);
}

TEST_CASE("in JSON times are microseconds, and what is not known is null") {
  CHECK(timing_json(std::nullopt).is_null());
  Timing timing{.total = 4'500'250, .exec = 1'234'567};
  timing.rows = {
      {.process = "init", .step = 3, .kind = "k", .text = "t", .start = 1500, .took = 250},
      {.process = "payload", .kind = "l", .start = 2000, .error = EACCES}};
  const Json json = timing_json(timing);
  CHECK(json["total_us"] == 4500.25);
  CHECK(json["exec_us"] == 1234.567);
  CHECK(json["steps"][0] == Json({{"process", "init"},
                                  {"step", 3},
                                  {"kind", "k"},
                                  {"text", "t"},
                                  {"start_us", 1.5},
                                  {"took_us", 0.25},
                                  {"error", nullptr}}));
  CHECK(json["steps"][1]["step"].is_null());
  CHECK(json["steps"][1]["took_us"].is_null());
  CHECK(json["steps"][1]["error"] == "EACCES");
}

TEST_CASE("a run has stages when it is given a clock") {
  RunClock clock(now_ns());
  clock.enter(Stage::prepare_launch, now_ns());
  const auto ran = testing::run("exit 0", {}, "", {.clock = &clock});
  REQUIRE(ran.outcome.timing.has_value());
  for (const char* kind : {"command_line", "register_run", "await_exec", "settle", "watch",
                           "account", "deliver", "command"})
    CHECK(row(*ran.outcome.timing, kind).took.has_value());
  CHECK(*ran.outcome.timing->exec + *ran.outcome.timing->command <= ran.outcome.timing->total);
  CHECK_FALSE(testing::run("exit 0").outcome.timing.has_value());
}

TEST_CASE("the times of steps are read as they were taken") {
  launch::StepTimes times;
  CHECK(times.read().empty());
  const launch::StepClock off;
  off.begin(1);  // has nowhere to write to
  off.end(1);
  REQUIRE(times.map(2));
  const launch::StepClock clock = times.clock();
  clock.begin(0);
  clock.end(0);
  clock.begin(1);
  clock.end(1, ENOENT);
  const std::vector<launch::StepSpan> spans = times.read();
  REQUIRE(spans.size() == 3);
  CHECK((spans[0].start_ns > 0 && spans[0].start_ns <= spans[0].end_ns && spans[0].error == 0));
  CHECK((spans[0].end_ns <= spans[1].start_ns && spans[1].error == ENOENT));
  CHECK((spans[2].start_ns == 0 && spans[2].end_ns == 0));
}
