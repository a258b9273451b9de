// What a run makes of its group's counts of memory: a folder of files stands for the group.
#include <doctest/doctest.h>
#include <fcntl.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../support/temp_tree.hpp"
#include "base/text.hpp"
#include "supervise_run.hpp"

using namespace sbx;
using namespace sbx::supervise;
using namespace sbx::supervise::testing;
using Json = nlohmann::json;
using sbx::test::TempTree;

namespace {

/// All cgroups of the runs meanwhile.
class Group {
 public:
  Group(const TempTree& tree, int version)
      : folder_(::open(tree.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    FakeSandbox::group = folder_.get();
    FakeSandbox::group_version = version;
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  Group(Group&&) = delete;
  Group& operator=(Group&&) = delete;
  ~Group() {
    FakeSandbox::group = -1;
    FakeSandbox::group_version = 0;
  }

 private:
  os::UniqueFd folder_;
};

plan::Plan plan_for(const std::string& script) {
  plan::Plan plan;
  plan.argv = {script};
  plan.supervision.input = plan::InputMode::null;
  return plan;
}

/// The events of a run of `plan`.
std::vector<Json> events_of(const plan::Plan& plan) {
  const os::UniqueFd file = scratch_file();
  Sinks sinks;
  sinks.events = file.get();
  const Outcome outcome = supervise::supervise(plan, sinks, fake_launch);
  CHECK(outcome.status == Status::ok);
  std::vector<Json> events;
  const std::string text = content_of(file);
  for (const std::string_view line : split(text, '\n'))
    if (!line.empty()) events.push_back(Json::parse(line));
  return events;
}

std::string types_of(const std::vector<Json>& events) {
  std::string types;
  for (const Json& event : events) types += event["type"].get<std::string>() + " ";
  return types;
}

}  // namespace

TEST_CASE("a kill that only the group tells ends the whole tree where it is asked to") {
  const TempTree tree;
  const std::string file =
      tree.file("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n");
  const Group group(tree, 1);
  plan::Plan plan = plan_for("sleep 0.1; echo oom_kill 1 >" + file + "; sleep 30");
  plan.limits.oom_kill = profile::OomKill::tree;
  plan.supervision.end_tree_on_oom = true;
  const Outcome ended = supervise::supervise(plan, {}, fake_launch);
  CHECK(ended.status == Status::oom);
  CHECK(ended.process_exit == 137);
  CHECK(ended.wall_ms < 10'000);
  const Outcome left_alone = supervise::supervise(plan_for("sleep 0.2; exit 3"), {}, fake_launch);
  CHECK(left_alone.status == Status::oom);
  CHECK(left_alone.process_exit == 3);
}

TEST_CASE("a tree without such a kill is left alone") {
  const TempTree tree;
  tree.file("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n");
  const Group group(tree, 1);
  plan::Plan plan = plan_for("sleep 0.2");
  plan.limits.oom_kill = profile::OomKill::tree;
  plan.supervision.end_tree_on_oom = true;
  CHECK(supervise::supervise(plan, {}, fake_launch).status == Status::ok);
}

TEST_CASE("a soft limit that was crossed unnoticed is told before the exit, and once") {
  const TempTree tree;
  tree.file("memory.events", "low 0\nhigh 4\nmax 0\noom 0\noom_kill 0\n");
  const Group group(tree, 2);
  plan::Plan plan = plan_for("exit 0");
  plan.limits.memory_high = std::uint64_t{400} << 20U;
  CHECK(types_of(events_of(plan)) == "start exit result ");  // not where the plan does not say so
  plan.supervision.tell_memory_high = true;
  const std::vector<Json> events = events_of(plan);
  REQUIRE(types_of(events) == "start warning exit result ");
  CHECK(events[1]["code"] == "memory_high");
  CHECK(events[1]["text"] == "it used more memory than limits.memory_high (400M)");
  CHECK(events[3]["result"]["memory"]["high_events"] == 4);
  CHECK(events[3]["result"]["warnings"].size() == 1);
  tree.file("memory.events", "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\n");
  CHECK(types_of(events_of(plan)) == "start exit result ");
}
