// What a profile's seccomp section may say, and what it then means.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <span>
#include <string>
#include <vector>

#include "seccomp/check.hpp"
#include "seccomp/conditions.hpp"
#include "seccomp_testing.hpp"

using namespace sbx;                    // NOLINT(google-build-using-namespace)
using namespace sbx::seccomp;           // NOLINT(google-build-using-namespace)
using namespace sbx::seccomp::testing;  // NOLINT(google-build-using-namespace)

namespace {

/// The error of a request that must be refused.
Error refusal(const Request& request) {
  const auto policy = build_policy(request);
  REQUIRE_FALSE(policy.has_value());
  CHECK(policy.error().kind == ErrorKind::profile);
  CHECK_FALSE(policy.error().hint.empty());
  return policy.error();
}

bool mentions(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("an unknown name is refused with a suggestion") {
  CHECK(check_name("@default").has_value());
  CHECK(check_name("@io-uring").has_value());
  CHECK(check_name("ptrace").has_value());
  CHECK(mentions(check_name("ptrcae").error().hint, "ptrace"));
  CHECK(mentions(check_name("@debgu").error().hint, "@debug"));
  CHECK(mentions(check_name("@debgu").error().what, "group"));
  CHECK_FALSE(check_name("").has_value());
  CHECK_FALSE(check_name("\x1b[2J").error().what.empty());
  CHECK(mentions(refusal({.allow = {"@default", "opne"}}).hint, "open"));
  CHECK(mentions(refusal({.deny = {"@keyrings"}}).hint, "@keyring"));
}

TEST_CASE("what stays denied whatever the profile says cannot be asked for") {
  for (const Group& group : call_groups()) {
    if (group.standing != Standing::never) continue;
    const std::string name(group.name);
    CHECK(mentions(refusal({.allow = {"@default", name}}).what, "whatever"));
    for (const Call& call : group.calls) {
      const std::string call_name(call.name);
      CHECK(mentions(refusal({.allow = {"@default", call_name}}).what, call_name));
      CHECK(build_policy({.deny = {call_name}}).has_value());
    }
  }
}

TEST_CASE("allow gives back optional groups and single calls, deny takes away and wins") {
  const Asked plain({});
  CHECK(plain("ptrace") == fails(EPERM));
  const Asked debug({.allow = {"@default", "@debug", "keyctl"}, .deny = {"pidfd_getfd", "@ipc"}});
  CHECK(debug("ptrace") == kAllow);
  CHECK(debug("process_vm_readv") == kAllow);
  CHECK(debug("keyctl") == kAllow);
  CHECK(debug("add_key") == fails(EPERM));
  CHECK(debug("pidfd_getfd") == fails(EPERM));
  CHECK(debug("shmget") == fails(EPERM));
  CHECK(debug("read") == kAllow);
  const Asked order({.allow = {"io_uring_setup", "@default"}, .deny = {"@io-uring"}});
  CHECK(order("io_uring_setup") == fails(EPERM));
}

TEST_CASE("who may have no filter of his own by seccomp(2) gets none by prctl(2)") {
  constexpr std::uint64_t kSetSeccomp = 22;  // PR_SET_SECCOMP
  constexpr std::uint64_t kSetName = 15;
  CHECK(Asked({})("prctl", {kSetSeccomp}) == kAllow);
  const std::vector<Request> denying{
      {.deny = {"seccomp"}},
      {.deny = {"@sandbox"}},
      {.allow = {"execve", "prctl"}},
      {.args = {{"seccomp", 0, {2}}}},  // SECCOMP_GET_ACTION_AVAIL
  };
  for (const Request& request : denying) {
    const Asked asked(request);
    CHECK(asked("prctl", {kSetSeccomp}) == fails(EPERM));
    CHECK(asked("prctl", {kSetName}) == kAllow);
  }
}

TEST_CASE("a small allowlist allows just that") {
  const Asked small({.allow = {"execve", "@basic-io"}});
  CHECK(small("read") == kAllow);
  CHECK(small("ioctl", {0, 0x5412}) == fails(EPERM));
  CHECK(small("open") == fails(EPERM));
  CHECK(small("clone3") == fails(ENOSYS));
}

TEST_CASE("execve cannot be denied: the command is started by it") {
  CHECK(mentions(refusal({.deny = {"execve"}}).what, "execve"));
  CHECK(mentions(refusal({.deny = {"@process"}}).what, "execve"));
  CHECK(mentions(refusal({.allow = {"read"}}).what, "execve"));
  CHECK(mentions(refusal({.allow = {}}).what, "execve"));
}

TEST_CASE("what a list may say is decided entry by entry") {
  CHECK(check_allow("@debug").has_value());
  CHECK(check_allow("@default").has_value());
  CHECK(mentions(check_allow("@mount").error().what, "@mount stays denied"));
  CHECK(mentions(check_allow("mount").error().what, "mount stays denied"));
  CHECK(mentions(check_allow("ptrcae").error().hint, "ptrace"));
  CHECK(check_deny("@mount").has_value());
  CHECK(check_deny("execveat").has_value());
  CHECK(mentions(check_deny("execve").error().what, "execve cannot be denied"));
  CHECK(mentions(check_deny("@default").error().what, "@default, which has execve in it,"));
  const std::vector<std::string> lists{"read", "execve"};
  CHECK(check_start(lists).has_value());
  CHECK_FALSE(check_start(std::span(lists).first(1)).has_value());
  CHECK(check_narrowed({"read", 0, {0}}, kMostValues - 1, lists, {}).has_value());
  CHECK(mentions(check_narrowed({"read", 0, {0}}, kMostValues, lists, {}).error().what, "256"));
  CHECK(mentions(check_narrowed({"execve", 0, {0}}, 0, lists, {}).error().what, "started by it"));
  CHECK(mentions(check_narrowed({"@debug", 0, {0}}, 0, lists, {}).error().what, "is a group"));
  CHECK(mentions(check_narrowed({"lseek", 2, {0}}, 0, lists, {}).error().what, "not allowed"));
  CHECK(check_narrowed({"lseek", 2, {0}}, 0, lists, std::vector<std::string>{"@default"}));
}

TEST_CASE("as many values as may be written fit into a filter, whatever they are") {
  ArgAllow rule{"ioctl", 1, {}};
  for (std::uint64_t i = 0; i < kMostValues; ++i) rule.in.push_back(0xffffffff - 2 * i);
  for (const OnDeny mode : {OnDeny::fail, OnDeny::kill, OnDeny::log}) {
    const Request request{
        .on_deny = mode, .args = {rule}, .no_huge_pages = true, .shared_host = {.shared = true}};
    const auto filter = filter_for(request);
    REQUIRE(filter.has_value());
    CHECK(filter->program().size() < BPF_MAXINSNS);
  }
}

TEST_CASE("args narrows an allowed call, in the whole 64-bit argument") {
  const Asked narrowed({.args = {{"lseek", 2, {0, 1}}, {"getpriority", 0, {0xffffffff}}}});
  CHECK(narrowed("lseek", {3, 0, 0}) == kAllow);
  CHECK(narrowed("lseek", {3, 0, 1}) == kAllow);
  CHECK(narrowed("lseek", {3, 0, 2}) == fails(EPERM));
  CHECK(narrowed("lseek", {3, 0, std::uint64_t{1} << 32U}) == fails(EPERM));
  CHECK(narrowed("getpriority", {0xffffffff}) == kAllow);
  CHECK(narrowed("getpriority", {0xffffffffffffffff}) == kAllow);
  CHECK(narrowed("getpriority", {0x1ffffffff}) == fails(EPERM));
  CHECK(narrowed("getpriority", {0}) == fails(EPERM));
}

TEST_CASE("args cannot widen a built-in condition, and several entries must all hold") {
  const Asked narrowed({.args = {{"socket", 0, {1, 16, 40}},  // AF_UNIX, AF_NETLINK, AF_VSOCK
                                 {"socket", 0, {1, 2, 16, 40}},
                                 {"clone", 0, {0x10000011, 17}},
                                 {"ioctl", 1, {0x5401, 0x5412}}}});
  CHECK(narrowed("socket", {1}) == kAllow);
  CHECK(narrowed("socket", {2}) == fails(EPERM));
  CHECK(narrowed("socket", {10}) == fails(EPERM));
  CHECK(narrowed("socket", {40}) == fails(EPERM));
  CHECK(narrowed("socket", {16, 3, 0}) == kAllow);
  CHECK(narrowed("socket", {16, 3, 9}) == fails(EPERM));
  CHECK(narrowed("clone", {17}) == kAllow);
  CHECK(narrowed("clone", {0x10000011}) == fails(EPERM));
  CHECK(narrowed("ioctl", {0, 0x5401}) == kAllow);
  CHECK(narrowed("ioctl", {0, 0x5412}) == fails(EPERM));
  CHECK(narrowed("ioctl", {0, 0x5402}) == fails(EPERM));
}

TEST_CASE("under log, narrowing does not let through what is firmly denied") {
  const Asked logged({.on_deny = OnDeny::log, .args = {{"clone", 0, {17}}, {"ioctl", 1, {1}}}});
  CHECK(logged("clone", {17}) == kAllow);
  CHECK(logged("clone", {18}) == kLog);
  CHECK(logged("clone", {0x10000011}) == fails(EPERM));
  CHECK(logged("ioctl", {0, 0x5412}) == fails(EPERM));
}

TEST_CASE("under log, to deny a call lets no more of it through than to allow it") {
  const std::vector<std::string> conditioned = [] {
    std::vector<std::string> names;
    for (const ConditionedCall& row : conditioned_calls()) names.emplace_back(row.call);
    return names;
  }();
  const Asked allowed({.on_deny = OnDeny::log});
  // One by one, and all: a call that does the same as another counts only where that is not open.
  for (const Asked& denied :
       {Asked({.on_deny = OnDeny::log, .deny = conditioned}),
        Asked({.on_deny = OnDeny::log, .allow = {"execve", "read", "write", "exit_group"}})}) {
    CHECK(denied("clone", {0x10000011}) == fails(EPERM));
    CHECK(denied("clone", {17}) == kLog);
    CHECK(denied("ioctl", {0, 0x5412}) == fails(EPERM));
    CHECK(denied("ioctl", {0, 0x5401}) == kLog);
    CHECK(denied("chmod", {0, 04755}) == fails(EPERM));
    CHECK(denied("chmod", {0, 0755}) == kLog);
    CHECK(denied("open", {0, O_CREAT, 04755}) == allowed("open", {0, O_CREAT, 04755}));
    CHECK(denied("mknod", {0, S_IFCHR | 0644U}) == allowed("mknod", {0, S_IFCHR | 0644U}));
  }
  const Asked huge({.on_deny = OnDeny::log, .deny = {"mmap"}, .no_huge_pages = true});
  CHECK(huge("mmap", {0, 4096, 3, 0x40022}) == fails(ENOMEM));
  CHECK(huge("mmap", {0, 4096, 3, 0x22}) == kLog);
}

TEST_CASE("args without effect or sense is refused") {
  CHECK(mentions(refusal({.args = {{"ptrace", 0, {0}}}}).what, "not allowed"));
  CHECK(mentions(refusal({.args = {{"mount", 0, {0}}}}).what, "not allowed"));
  CHECK(mentions(refusal({.args = {{"socket", 6, {0}}}}).what, "no argument 6"));
  CHECK(mentions(refusal({.args = {{"socket", 0, {}}}}).what, "no value"));
  CHECK(mentions(refusal({.args = {{"scoket", 0, {1}}}}).hint, "socket"));
  // A file that extends another may deny what the other narrowed.
  CHECK(Asked({.deny = {"socket"}, .args = {{"socket", 0, {1}}}})("socket", {1}) == fails(EPERM));
  CHECK(Asked({.allow = {"@default", "ptrace"}, .args = {{"ptrace", 0, {0}}}})("ptrace", {0}) ==
        kAllow);
}

TEST_CASE("the way of a run and the way of explain give the same filter") {
  for (const Request& request :
       {Request{}, Request{.on_deny = OnDeny::kill}, Request{.on_deny = OnDeny::log},
        Request{.allow = {"@default", "@debug"}}, Request{.args = {{"socket", 0, {1}}}}}) {
    const auto filter = filter_for(request);
    REQUIRE(filter.has_value());
    const Asked fresh(request);
    const auto program = filter->program();
    REQUIRE(program.size() == fresh.program().size());
    for (std::size_t i = 0; i < program.size(); ++i) {
      CHECK(program[i].code == fresh.program()[i].code);
      CHECK(program[i].jt == fresh.program()[i].jt);
      CHECK(program[i].jf == fresh.program()[i].jf);
      CHECK(program[i].k == fresh.program()[i].k);
    }
  }
  CHECK_FALSE(filter_for({.allow = {"mount"}}).has_value());
}
