// Whom a root of the user's own knows, in the plan.
#include <doctest/doctest.h>

#include "plan/kinds.hpp"
#include "plan_testing.hpp"

using namespace sbx;                 // NOLINT(google-build-using-namespace)
using namespace sbx::plan;           // NOLINT(google-build-using-namespace)
using namespace sbx::plan::testing;  // NOLINT(google-build-using-namespace)

namespace {

/// What is bound at `path`, if anything is.
std::string shown_at(const std::string& path, RootAccounts accounts) {
  profile::Profile profile;
  profile.root.kind = profile::RootKind::dir;
  HostFacts facts = host_of_user();
  facts.root_entries = {{"/etc", EntryType::directory, "/srv/root/etc"}};
  facts.root_accounts = std::move(accounts);
  const auto plan = build(profile, command(), facts);
  REQUIRE_MESSAGE(plan.has_value(), (plan ? std::string() : plan.error().to_string()));
  std::string content;
  for (const BindInside& bind : steps_of<BindInside>(*plan)) {
    if (bind.target != path) continue;
    for (const WriteFile& file : steps_of<WriteFile>(*plan))
      if (file.path == bind.source) content = file.content;
  }
  return content;
}

}  // namespace

TEST_CASE("a user whom the root does not know gets a line, under a name that is free") {
  CHECK(shown_at("/etc/passwd", {.passwd = "root:x:0:0::/:"}) ==
        "root:x:0:0::/:\nsandbox:x:1234:1234:sandbox:/tmp:/bin/sh\n");
  CHECK(shown_at("/etc/passwd", {.passwd = "sandbox:x:1:1::/:\n"}) ==
        "sandbox:x:1:1::/:\nsandbox-1234:x:1234:1234:sandbox:/tmp:/bin/sh\n");
  CHECK(shown_at("/etc/group", {.group = ""}) == "sandbox:x:1234:\n");
}

TEST_CASE("accounts of the root that know it, or are none, stay as they are") {
  CHECK(shown_at("/etc/passwd", {.passwd = "me:x:1234:5::/:\n"}).empty());
  CHECK(shown_at("/etc/passwd", {}).empty());
  CHECK(shown_at("/etc/group", {.passwd = "", .group = "mine:x:1234:\n"}).empty());
}
