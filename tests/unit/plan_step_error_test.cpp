// A failed step names who asked for it: a line, a flag, or nobody.
#include <doctest/doctest.h>

#include <cerrno>

#include "plan/hints.hpp"
#include "plan_testing.hpp"
#include "profile_testing.hpp"

using namespace sbx;                 // NOLINT(google-build-using-namespace)
using namespace sbx::plan;           // NOLINT(google-build-using-namespace)
using namespace sbx::plan::testing;  // NOLINT(google-build-using-namespace)
using sbx::testing::must_load;

namespace {

/// What is said when the step whose text contains `text` fails.
std::string failure_of(const profile::Profile& profile, const std::string& text) {
  HostFacts facts = host_of_user();
  facts.sources[source_key(facts, "data", "/cwd")] = {
      true, EntryType::directory, "/home/user/data", 1234, 1234, "8:0", ""};
  const auto plan = build(profile, command(), facts);
  if (!plan) FAIL(plan.error().to_string());
  const std::size_t index = index_of(*plan, text);
  REQUIRE(index != std::string::npos);
  std::string said = step_error(*plan, index, EINVAL, {}).to_line();
  const std::string step =
      "step " + std::to_string(index + 1) + "/" + std::to_string(plan->steps.size()) + ": ";
  const std::size_t at = said.find(step);
  REQUIRE(at != std::string::npos);
  return said.substr(0, at);
}

}  // namespace

TEST_CASE("a line of the profile") {
  const profile::Profile profile = must_load("mounts:\n  - tmpfs: /scratch\n    size: 1M\n");
  CHECK(failure_of(profile, "tmpfs at /scratch") == "/p/x.yaml:3:5: ");
}

TEST_CASE("a line of a profile that it extends") {
  CHECK(failure_of(must_load("extends: [build]\n"), "tmpfs at /tmp").starts_with("<build>:"));
}

TEST_CASE("a flag") {
  profile::LoadRequest request;
  request.overrides = {{"mounts", "[{bind: data, at: /data}]", "--ro"}};
  CHECK(failure_of(must_load("", request), "/home/user/data") == "--ro: ");
}

TEST_CASE("nobody, also where the profile has others of the same section") {
  CHECK(failure_of(must_load(""), "tmpfs at /tmp").empty());
  CHECK(failure_of(must_load("limits: {memory: 1G}\n"), "rlimit nofile").empty());
}

TEST_CASE("where memory or descriptors have run out, that is what is said, whatever the step") {
  const std::string memory = hint_for(DropOldRoot{}, ENOMEM);
  const std::string files = hint_for(DropOldRoot{}, EMFILE);
  CHECK(memory.contains("out of memory"));
  CHECK(files.contains("ulimit -n"));
  for (const Action& action :
       {Action(ReserveHostId{}), Action(MakeDir{}), Action(MakeSymlink{}), Action(WriteFile{}),
        Action(WriteSecret{}), Action(MountOverlay{}), Action(BindDevice{}), Action(SetRlimit{}),
        Action(ChangeDir{}), Action(ApplyLandlock{}), Action(InstallSeccomp{})}) {
    CHECK(hint_for(action, ENOMEM) == memory);
    CHECK(hint_for(action, EMFILE) == files);
  }
}

TEST_CASE("a full new root is no mount point that is missing") {
  for (const int error : {ENOSPC, EDQUOT})
    for (const Action& action :
         {Action(MakeDir{}), Action(MakeSymlink{}), Action(WriteFile{}), Action(WriteSecret{})})
      CHECK(hint_for(action, error).contains("is full"));
  CHECK(hint_for(MakeDir{}, EACCES).contains("mount point"));
}
