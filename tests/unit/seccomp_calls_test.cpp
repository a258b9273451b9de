// The table of system calls is complete, without repetition, and agrees with libseccomp and with
// the headers of the build host.
#include <doctest/doctest.h>
#include <sys/syscall.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "seccomp/build.hpp"
#include "seccomp/calls.hpp"
#include "seccomp/conditions.hpp"
#include "seccomp/layout.hpp"
#include "seccomp/precompiled.hpp"
#include "seccomp/reference.hpp"

using namespace sbx::seccomp;  // NOLINT(google-build-using-namespace): the tests' subject

TEST_CASE("every number that the kernel has given away is in exactly one group") {
  std::map<unsigned, std::string> owners;
  std::set<std::string_view> names;
  for (const Group& group : call_groups()) {
    CHECK(group.name.starts_with('@'));
    CHECK_FALSE(group.reason.empty());
    CHECK((group.error != 0) == (group.standing == Standing::never));
    for (const Call& call : group.calls) {
      const auto [at, is_new] = owners.emplace(call.number, group.name);
      CHECK_MESSAGE(is_new, std::string(call.name) << " is in " << at->second << " too");
      CHECK(names.insert(call.name).second);
      CHECK(call.number <= kLastNumber);
    }
  }
  for (unsigned number = 0; number <= kLastNumber; ++number) {
    // 337 to 423 were never given away on x86_64: new calls took one number on all architectures.
    const bool gap = number >= 337 && number <= 423;
    CHECK_MESSAGE(owners.contains(number) != gap, "number " << number);
  }
}

TEST_CASE("names and numbers agree with the kernel's headers") {
  CHECK(find_call("read").call->number == SYS_read);
  CHECK(find_call("clone3").call->number == SYS_clone3);
  CHECK(find_call("futex_waitv").call->number == SYS_futex_waitv);
  CHECK(find_call(SYS_openat2).call->name == "openat2");
  CHECK_FALSE(find_call("no_such_call"));
  CHECK_FALSE(find_call(400U));
  CHECK_FALSE(find_call(kLastNumber + 1));
}

TEST_CASE("libseccomp agrees with the table and with every precompiled filter") {
  CHECK(precompiled().size() == kPrecompiledModes.size());
  for (const Precompiled& entry : precompiled()) {
    const auto policy = build_policy(precompiled_request(entry.on_deny));
    REQUIRE(policy.has_value());
    const auto found = differences(*policy, {entry.program.begin(), entry.program.end()});
    REQUIRE_MESSAGE(found.has_value(), (found ? "" : found.error().to_string()));
    for (const std::string& difference : *found) FAIL_CHECK(difference);
  }
}

TEST_CASE("libseccomp's opinion is asked for real: a wrong filter is noticed") {
  Request request;
  const auto policy = build_policy(request);
  request.deny = {"getpid"};
  const auto other = layout(*build_policy(request));
  CHECK(differences(*policy, *other)->size() == 1);
}

TEST_CASE("argument conditions belong to calls that are allowed by default") {
  std::set<std::string_view> seen;
  for (const ConditionedCall& row : conditioned_calls()) {
    CHECK(seen.insert(row.call).second);
    CHECK_FALSE(row.reason.empty());
    REQUIRE(find_call(row.call));
    CHECK(find_call(row.call).group->standing == Standing::allowed);
    for (const Condition& condition : row.conditions) CHECK_FALSE(condition.tests.empty());
  }
  CHECK(find_conditions("read") == nullptr);
  CHECK(find_conditions("ioctl") != nullptr);
}

TEST_CASE("whoever may use keys is known by the entries of its list") {
  CHECK_FALSE(may_use_keys({}));
  CHECK(may_use_keys({.on_deny = OnDeny::log}));
  std::vector<std::string> entries{std::string(kDefaultGroup)};
  for (const Group& group : call_groups()) {
    entries.emplace_back(group.name);
    for (const Call& call : group.calls) entries.emplace_back(call.name);
  }
  for (const std::string& entry : entries) {
    bool reaches = false;
    for (const char* const call : {"keyctl", "add_key", "request_key"})
      reaches = reaches || covers(entry, find_call(call));
    Request request;
    request.allow = {entry};
    CHECK_MESSAGE(may_use_keys(request) == reaches, entry);
  }
}

TEST_CASE("the manual lists every group, and the calls of those that a profile may allow") {
  std::ifstream file(SBX_TEST_DATA "/../man/sbx-profile.5");
  std::string manual{std::istreambuf_iterator<char>(file), {}};
  std::erase(manual, '\\');
  manual.erase(0, manual.find(".SH GROUPS OF SYSTEM CALLS"));
  REQUIRE(!manual.empty());
  for (const Group& group : call_groups()) {
    CAPTURE(group.name);
    const std::size_t entry = manual.find(".B " + std::string(group.name) + "\n");
    REQUIRE(entry != std::string::npos);
    CHECK(manual.find(std::string(group.reason), entry) != std::string::npos);
    if (group.standing != Standing::optional) continue;
    std::string calls;
    for (const Call& call : group.calls)
      calls += (calls.empty() ? "" : ", ") + std::string(call.name);
    CHECK(manual.find("(" + calls + ").", entry) != std::string::npos);
  }
}
