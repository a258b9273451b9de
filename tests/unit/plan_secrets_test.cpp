// What a plan says of secrets: names and places, in an order that never shows one unsealed.
#include <doctest/doctest.h>

#include "plan/describe.hpp"
#include "plan_testing.hpp"

using namespace sbx;                 // NOLINT(google-build-using-namespace)
using namespace sbx::plan;           // NOLINT(google-build-using-namespace)
using namespace sbx::plan::testing;  // NOLINT(google-build-using-namespace)

namespace {

profile::Profile with_secrets() {
  profile::Profile profile;
  profile.secrets = {{.name = "a", .from = "env:TOKEN"},
                     {.name = "b", .from = "file:key", .at = "/opt/b"},
                     {.name = "c", .from = "fd:3", .env = "C", .redact = false}};
  return profile;
}

HostFacts with_token(HostFacts facts) {
  facts.env["TOKEN"] = "hunter2hunter2";
  return facts;
}

}  // namespace

TEST_CASE("files lie on tmpfs of their own, and a variable has none") {
  const auto plan = build(with_secrets(), command(), with_token(host_of_user()));
  REQUIRE(plan.has_value());
  std::vector<std::string> written;
  for (const Step& step : plan->steps)
    if (const auto* const secret = std::get_if<WriteSecret>(&step.action))
      written.push_back(secret->name + " " + secret->path);
  CHECK(written == std::vector<std::string>{"a /run/secrets/a", "b /.sbx/secrets/b"});
  CHECK(plan->supervision.redacts);
}

TEST_CASE("no description of a plan has a value") {
  for (const HostFacts& host : {host_of_user(), host_of_root()}) {
    const auto plan = build(with_secrets(), command(), with_token(host));
    REQUIRE(plan.has_value());
    const std::string text = describe_text(*plan) + describe_json(*plan);
    CHECK_FALSE(text.contains("hunter2"));
    CHECK(text.contains("secret:    a from env:TOKEN, in /run/secrets/a"));
    CHECK(text.contains("secret:    c from fd:3, as the variable C, not redacted"));
  }
}

TEST_CASE("without namespaces a secret can be a variable only") {
  profile::Profile profile = with_secrets();
  profile.degrade = {"userns"};
  HostFacts bare = host_of_root();
  bare.no_namespaces = NoNamespaces{};
  bare.temporary = "/tmp";
  const auto refused = build(profile, command(), bare);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().what.contains("secrets.a"));
  CHECK(refused.error().what.contains("secrets.b"));
  CHECK_FALSE(refused.error().what.contains("secrets.c"));
  profile.secrets.erase(profile.secrets.begin(), profile.secrets.begin() + 2);
  CHECK(build(profile, command(), bare).has_value());
}
