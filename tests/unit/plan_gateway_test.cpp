// Which ports of the sandbox are listened on, and when.
#include <doctest/doctest.h>

#include "plan_testing.hpp"

using namespace sbx;                 // NOLINT(google-build-using-namespace)
using namespace sbx::plan;           // NOLINT(google-build-using-namespace)
using namespace sbx::plan::testing;  // NOLINT(google-build-using-namespace)

namespace {

using Ports = std::vector<std::uint16_t>;

profile::Profile allowing(std::vector<std::string> rules) {
  profile::Profile profile;
  profile.network = {.mode = profile::NetworkMode::filtered, .allow = std::move(rules)};
  return profile;
}

OpenGateway gateway_of(const profile::Profile& profile) {
  const auto plan = build(profile, command(), host_of_user());
  REQUIRE(plan.has_value());
  const auto found = steps_of<OpenGateway>(*plan);
  REQUIRE(found.size() == 1);
  CHECK(steps_of<RouteToSelf>(*plan).size() == 1);
  CHECK(plan->supervision.hears_connects == !found.front().late.empty());
  return found.front();
}

std::string refusal_of(const profile::Profile& profile) {
  const auto plan = build(profile, command(), host_of_user());
  return plan ? "none" : plan.error().to_string();
}

}  // namespace

TEST_CASE("without rules there is no gateway") {
  const auto plan = build({}, command(), host_of_user());
  REQUIRE(plan.has_value());
  CHECK(steps_of<OpenGateway>(*plan).empty());
  CHECK(steps_of<RouteToSelf>(*plan).empty());
  CHECK_FALSE(plan->supervision.hears_connects);
}

TEST_CASE("few ports are open from the start") {
  profile::Profile profile =
      allowing({"a.example:443", "b.example:80-82", "udp:c.example:123", "d.example:443"});
  profile.network.host_ports = {5432, 80};
  const OpenGateway step = gateway_of(profile);
  CHECK(step.tcp == Ports{5432, 80, 81, 82, 443});
  CHECK(step.udp == Ports{123});
  CHECK(step.late.empty());
}

TEST_CASE("a range and all of them are opened late, ports of the host's never") {
  profile::Profile profile = allowing({"a.example:*"});
  profile.network.host_ports = {5432};
  const OpenGateway all = gateway_of(profile);
  CHECK(all.tcp == Ports{5432});
  REQUIRE(all.late.size() == 2);  // port 53 is between them
  CHECK(all.late.front().first == 1);
  CHECK(all.late.back().last == 65535);
  const OpenGateway some = gateway_of(allowing({"a.example:443", "a.example:1000-1099"}));
  CHECK(some.tcp == Ports{443});
  REQUIRE(some.late.size() == 1);
  CHECK(some.late.front().first == 1000);
  std::vector<std::string> many;
  for (int port = 1001; port < 1201; port += 2) many.push_back("a.example:" + std::to_string(port));
  const OpenGateway singles = gateway_of(allowing(many));
  CHECK(singles.tcp.size() == 64);
  CHECK(singles.late.size() == 36);
}

TEST_CASE("what cannot be had is an error that says so") {
  CHECK(refusal_of(allowing({"udp:a.example:1000-1255"})) == "none");
  CHECK(refusal_of(allowing({"udp:a.example:1000-1256"})).find("257 ports") != std::string::npos);
  profile::Profile reading = allowing({"a.example:*"});
  reading.seccomp.allow.emplace_back("userfaultfd");
  CHECK(refusal_of(reading).find("userfaultfd") != std::string::npos);
  profile::Profile logging = allowing({"a.example:*"});
  logging.seccomp.on_deny = profile::OnDeny::log;
  CHECK(refusal_of(logging).find("userfaultfd") != std::string::npos);
  profile::Profile few = allowing({"a.example:443"});
  few.seccomp.allow.emplace_back("userfaultfd");
  CHECK(refusal_of(few) == "none");
  profile::Profile hosts = allowing({});
  for (std::uint16_t port = 1000; port < 1065; ++port) hosts.network.host_ports.push_back(port);
  CHECK(refusal_of(hosts).find("65 ports") != std::string::npos);
}
