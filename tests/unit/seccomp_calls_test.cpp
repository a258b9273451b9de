// The table of system calls is complete, without repetition, and agrees with libseccomp for each
// machine, and with the headers of the build host.
#include <doctest/doctest.h>
#include <seccomp.h>
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

namespace {

/// Who has which number on a machine.
std::map<unsigned, std::string_view> owners_of(std::uint16_t Call::* machine) {
  std::map<unsigned, std::string_view> owners;
  for (const Group& group : call_groups()) {
    for (const Call& call : group.calls) {
      if (call.*machine == kNone) continue;
      CHECK(call.*machine <= kLastNumber);
      const auto [at, is_new] = owners.emplace(call.*machine, call.name);
      CHECK_MESSAGE(is_new, call.name << " has the number of " << at->second);
    }
  }
  return owners;
}

/// How libseccomp numbers the calls of a machine, as far as it knows them; what the machine lacks
/// has a negative number.
void compare_with_libseccomp(std::uint16_t Call::* machine, std::uint32_t architecture) {
  for (const Group& group : call_groups()) {
    for (const Call& call : group.calls) {
      const std::string name(call.name);
      const int number = seccomp_syscall_resolve_name_arch(architecture, name.c_str());
      if (number == __NR_SCMP_ERROR) continue;
      CHECK_MESSAGE((number < 0 ? kNone : number) == call.*machine, name);
    }
  }
}

}  // namespace

TEST_CASE("every call is in exactly one group, and each group has its reason") {
  std::set<std::string_view> names;
  for (const Group& group : call_groups()) {
    CHECK(group.name.starts_with('@'));
    CHECK_FALSE(group.reason.empty());
    CHECK((group.error != 0) == (group.standing == Standing::never));
    for (const Call& call : group.calls) {
      CHECK(names.insert(call.name).second);
      CHECK((call.x86_64 != kNone || call.arm64 != kNone));
      // Newer calls have one number on all machines.
      if (call.x86_64 >= 424 || call.arm64 >= 424)
        CHECK((call.x86_64 == call.arm64 || call.arm64 == kNone));
    }
  }
}

TEST_CASE("every number that the kernel has given away is in the table") {
  const auto x86_64 = owners_of(&Call::x86_64);
  const auto arm64 = owners_of(&Call::arm64);
  for (unsigned number = 0; number <= kLastNumber; ++number) {
    // 337 to 423 were never given away on x86_64: new calls took one number on all architectures.
    const bool gap = number >= 337 && number <= 423;
    CHECK_MESSAGE(x86_64.contains(number) != gap, "number " << number);
    // On arm64 (asm-generic/unistd.h) neither what each architecture might have for itself, nor
    // those of 32-bit machines for times after 2038.
    const bool kept_free = (number >= 244 && number <= 259) || (number >= 295 && number <= 423);
    CHECK_MESSAGE(arm64.contains(number) != kept_free, "number " << number);
  }
}

TEST_CASE("libseccomp has the same numbers for each machine") {
  compare_with_libseccomp(&Call::x86_64, SCMP_ARCH_X86_64);
  compare_with_libseccomp(&Call::arm64, SCMP_ARCH_AARCH64);
}

TEST_CASE("what only other machines have has a name and no number") {
  const Call other{kNone, kNone, "theirs"};
  CHECK_FALSE(other.exists());
  CHECK_FALSE(find_call(kNone));
  CHECK(find_call("fork"));
  CHECK(find_call("fork").call->exists() == (sbx::kMachine == sbx::Machine::x86_64));
}

TEST_CASE("names and numbers agree with the kernel's headers") {
  CHECK(find_call("read").call->number() == SYS_read);
  CHECK(find_call("clone3").call->number() == SYS_clone3);
  CHECK(find_call("futex_waitv").call->number() == SYS_futex_waitv);
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
