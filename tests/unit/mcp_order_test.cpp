#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "mcp/order.hpp"

using namespace sbx::mcp;
using sbx::profile::Profile;

namespace {

std::string refusal(const Json& arguments, const Profile& profile = {}) {
  const auto order = read_order(Runner::shell, arguments, profile);
  return order ? "" : order.error();
}

bool has(const Order& order, const std::string& flag) {
  return std::ranges::find(order.flags, flag) != order.flags.end();
}

}  // namespace

TEST_CASE("code becomes the command that runs it") {
  const auto of = [](Runner runner, const Json& given) {
    return read_order(runner, given, {})->command;
  };
  using Words = std::vector<std::string>;
  CHECK(of(Runner::command, {{"argv", {"ls", "-l"}}}) == Words{"ls", "-l"});
  CHECK(of(Runner::python, {{"code", "1"}, {"args", {"-x"}}}) == Words{"python3", "-c", "1", "-x"});
  CHECK(of(Runner::node, {{"code", "1"}, {"args", {"-x"}}}) ==
        Words{"node", "--eval=1\n", "--", "-x"});
  CHECK(of(Runner::node, {{"code", "-1"}}) == Words{"node", "--eval=-1\n"});
  CHECK(of(Runner::shell, {{"script", "ls"}, {"args", {"a"}}}) ==
        Words{"sh", "-c", "--", "ls", "sh", "a"});
}

TEST_CASE("a command that is none is told what it has to be") {
  const auto refusal_of = [](const Json& given) {
    const auto order = read_order(Runner::command, given, {});
    return order ? "" : order.error();
  };
  CHECK(refusal_of({{"argv", {"ls", ""}}}).empty());
  CHECK(refusal_of({{"argv", {"", "ls"}}}).find("first word of `argv` is empty") == 4);
  for (const Json& argv : {Json("ls"), Json{"ls", 1}, Json{"ls", nullptr}})
    CHECK(refusal_of({{"argv", argv}}) == "`argv` has to be a list of texts");
  CHECK(refusal_of({{"argv", {"ls"}}, {"env", {{"A", 1}}}}) ==
        "`env` has to be an object of texts");
}

TEST_CASE("a trial keeps nothing and ends soon") {
  Profile profile;
  profile.artifacts.collect = {"**"};
  const Order trial = trial_of(Runner::node, profile);
  CHECK(has(trial, "--set=artifacts.collect=!replace []"));
  CHECK(has(trial, "--set=limits.wall=10s"));
}

TEST_CASE("a bound can be met and not passed") {
  Profile profile;  // 60s, 512M, 128 processes
  profile.limits.cpu = std::chrono::seconds(5);
  const Json within{
      {"script", ""}, {"timeout", "60s"}, {"memory", "512M"}, {"pids", 128U}, {"cpu_time", "5s"}};
  const auto order = read_order(Runner::shell, within, profile);
  REQUIRE(order.has_value());
  CHECK(has(*order, "--set=limits.wall=1m"));
  CHECK(has(*order, "--set=limits.memory=512M"));
  CHECK(has(*order, "--set=limits.pids=128"));
  CHECK(has(*order, "--set=limits.cpu=5s"));
  CHECK(refusal({{"script", ""}, {"timeout", "60001ms"}}, profile).find("limits.wall: 1m") !=
        std::string::npos);
  CHECK(refusal({{"script", ""}, {"cpu_time", "6s"}}, profile).find("limits.cpu: 5s") !=
        std::string::npos);
  CHECK(refusal({{"script", ""}, {"memory", "513M"}}).find("limits.memory: 512M") !=
        std::string::npos);
  CHECK(refusal({{"script", ""}, {"pids", 129U}}).find("limits.pids: 128") != std::string::npos);
}

TEST_CASE("where there is no bound a client may set one, and nothing lifts one") {
  CHECK(refusal({{"script", ""}, {"idle", "1h"}}).empty());
  for (const Json& value : {Json("none"), Json("0"), Json("0s"), Json("5"), Json(5), Json("-1s")})
    CHECK_FALSE(refusal({{"script", ""}, {"timeout", value}}).empty());
  for (const Json& value : {Json(0), Json(-1), Json("4"), Json(1.5), Json(1ULL << 40U)})
    CHECK_FALSE(refusal({{"script", ""}, {"pids", value}}).empty());
}

TEST_CASE("output is what a model can read, unless more of it ends the run") {
  Profile profile;
  CHECK(has(*read_order(Runner::shell, {{"script", ""}}, profile),
            "--set=limits.output.stdout=256K"));
  profile.limits.output.stdout_bytes = 1000;
  CHECK(
      has(*read_order(Runner::shell, {{"script", ""}}, profile), "--set=limits.output.stdout=1KB"));
  CHECK_FALSE(refusal({{"script", ""}, {"output", "1001B"}}, profile).empty());
  profile.limits.output.on_exceed = sbx::profile::OnExceed::kill;
  const auto order = read_order(Runner::shell, {{"script", ""}}, profile);
  CHECK(order->flags.empty());
}

TEST_CASE("variables are added, and none of the operator's is replaced") {
  Profile profile;
  profile.env.set["MODE"] = "batch";
  profile.secrets.push_back({.name = "key", .from = "env:KEY", .env = "KEY"});
  CHECK(has(*read_order(Runner::shell, {{"script", ""}, {"env", {{"A", "b c"}}}}, profile),
            "--env=A=b c"));
  for (const char* const name : {"MODE", "KEY", "PATH", "", "A=B", "1A", "A B"})
    CHECK_FALSE(refusal({{"script", ""}, {"env", {{name, "x"}}}}, profile).empty());
}

TEST_CASE("what no tool knows is refused, with what was meant") {
  CHECK(refusal({{"script", ""}, {"timout", "1s"}}).find("`timeout`") != std::string::npos);
  CHECK_FALSE(refusal({{"code", "1"}}).empty());
  CHECK_FALSE(refusal({{"script", std::string(200'000, 'x')}}).empty());
  CHECK_FALSE(refusal({{"script", std::string("a\0b", 3)}}).empty());
  CHECK_FALSE(refusal(Json::object()).empty());
}
