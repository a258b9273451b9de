// Filters that tell of what they deny, and the advice that goes with it.
#include <doctest/doctest.h>

#include <sched.h>
#include <sys/socket.h>

#include <algorithm>
#include <string>
#include <vector>

#include "seccomp/advice.hpp"
#include "seccomp/notify.hpp"
#include "seccomp_testing.hpp"

using namespace sbx::seccomp;           // NOLINT(google-build-using-namespace)
using namespace sbx::seccomp::testing;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::uint32_t kTold = SECCOMP_RET_USER_NOTIF;
constexpr std::uint32_t kOurSocket = 14;

seccomp_data call_of(std::string_view name, const Args& args = {}) {
  seccomp_data data{};
  data.nr = static_cast<int>(number_of(name));
  data.arch = sbx::kOwnArchitecture;
  for (std::size_t i = 0; i < args.size(); ++i) data.args[i] = args[i];
  return data;
}

std::string line_for(const Request& request, std::string_view name, const Args& args = {}) {
  return allowing_line(request, call_of(name, args));
}

OwnCall own(std::string_view name, std::uint32_t first) { return {number_of(name), first}; }

}  // namespace

TEST_CASE("what is denied is told, and nothing else changes") {
  for (const OnDeny mode : {OnDeny::fail, OnDeny::kill, OnDeny::log}) {
    const Asked plain{Request{.on_deny = mode}};
    const std::vector<sock_filter> told = notifying(plain.program(), mode);
    for (unsigned number = 0; number <= kLastNumber + 2; ++number) {
      const std::uint32_t before = ask(plain.program(), number);
      const bool denial = before == fails(EPERM) || before == kLog || before == kKill;
      CHECK_MESSAGE(ask(told, number) == (denial ? kTold : before), number);
    }
    const std::uint32_t foreign = ask(told, 20, {}, sbx::kOtherArchitecture);
    CHECK(foreign == (mode == OnDeny::kill ? kTold : kKill));
  }
}

TEST_CASE("what C libraries probe for is answered by the kernel alone") {
  const Asked plain{Request{}};
  const std::vector<sock_filter> told = notifying(plain.program(), OnDeny::fail);
  CHECK(ask(told, number_of("clone3")) == fails(ENOSYS));
  CHECK(ask(told, kLastNumber + 1) == fails(ENOSYS));
  CHECK(ask(told, number_of("prctl"), {999}) == fails(EINVAL));
}

TEST_CASE("the listener gets out under a filter that denies the way") {
  const Request request{.deny = {"sendmsg", "seccomp"}};
  const Asked plain{request};
  const OwnCall send = own("sendmsg", kOurSocket);
  CHECK_FALSE(lets_through(plain.program(), request, send));
  const std::vector<OwnCall> calls{send, own("seccomp", SECCOMP_SET_MODE_FILTER)};
  const auto first = with_pass(notifying(plain.program(), OnDeny::fail), calls);
  CHECK(ask(first, number_of("sendmsg"), {kOurSocket}) == kAllow);
  CHECK(ask(first, number_of("seccomp"), {SECCOMP_SET_MODE_FILTER}) == kAllow);
  CHECK(ask(first, number_of("sendmsg"), {kOurSocket + 1}) == kTold);
  CHECK(ask(first, number_of("sendmsg"), {kOurSocket}, sbx::kOtherArchitecture) == kKill);
  CHECK(ask(first, number_of("read")) == kAllow);

  const auto second = end_of_pass(plain.program(), request, calls);
  CHECK(ask(second, number_of("sendmsg"), {kOurSocket}) == fails(EPERM));
  CHECK(ask(second, number_of("seccomp"), {SECCOMP_SET_MODE_FILTER}) == fails(EPERM));
  CHECK(ask(second, number_of("sendmsg"), {kOurSocket + 1}) == kAllow);
  CHECK(ask(second, number_of("read")) == kAllow);
}

TEST_CASE("the pass ends where the policy allows one of its calls, and the call stays allowed") {
  const Request request{.allow = {"execve", "seccomp"}};
  const Asked plain{request};
  const std::vector<OwnCall> calls{own("sendmsg", kOurSocket),
                                   own("seccomp", SECCOMP_SET_MODE_FILTER)};
  const auto second = end_of_pass(plain.program(), request, calls);
  CHECK(ask(second, number_of("sendmsg"), {kOurSocket}) == fails(EPERM));
  CHECK(ask(second, number_of("seccomp"), {SECCOMP_SET_MODE_FILTER}) == kAllow);
}

TEST_CASE("the usual filter lets the listener out by itself") {
  const Request request{};
  CHECK(lets_through(Asked(request).program(), request, own("sendmsg", kOurSocket)));
  // It may be narrowed by what is not known before the call is made.
  const Request narrowed{.args = {{"sendmsg", 2, {0}}}};
  CHECK_FALSE(lets_through(Asked(narrowed).program(), narrowed, own("sendmsg", kOurSocket)));
}

TEST_CASE("the advice names the line that allows the call") {
  CHECK(line_for({}, "ptrace") == "seccomp: {allow: [\"@debug\"]}");
  CHECK(line_for({.allow = {"execve"}}, "brk") == "seccomp: {allow: [brk]}");
  CHECK(line_for({.deny = {"ptrace"}}, "ptrace") ==
        "seccomp: {deny: !replace [], allow: [\"@debug\"]}");
  CHECK(line_for({.deny = {"uname", "@aio"}}, "uname") == "seccomp: {deny: !replace [\"@aio\"]}");
  CHECK(line_for({.deny = {"@basic-io", "uname"}}, "read") == "seccomp: {deny: !replace [uname]}");
  CHECK(line_for({.args = {{"socket", 0, {AF_UNIX}}, {"socket", 1, {1}}}}, "socket",
                 {AF_INET, 1, 0}) ==
        "seccomp: {args: !replace [{call: socket, arg: 0, in: [1, 2]}, {call: socket, arg: 1, in: "
        "[1]}]}");
  // By whichever of two calls a filter of its own is asked for.
  constexpr std::uint64_t kSetSeccomp = 22;
  CHECK(line_for({.deny = {"seccomp"}}, "prctl", {kSetSeccomp}) == "seccomp: {deny: !replace []}");
  CHECK(line_for({.allow = {"execve", "prctl"}}, "prctl", {kSetSeccomp}) ==
        "seccomp: {allow: [seccomp]}");
}

TEST_CASE("no line is named where none would do") {
  CHECK(line_for({}, "mount").empty());
  CHECK(line_for({}, "socket", {AF_PACKET}).empty());
  CHECK(line_for({}, "clone", {CLONE_NEWUSER}).empty());
  seccomp_data unknown{};
  unknown.nr = static_cast<int>(kLastNumber + 5);
  unknown.arch = sbx::kOwnArchitecture;
  CHECK(allowing_line({}, unknown).empty());
}

TEST_CASE("arguments have the names that people know") {
  CHECK(argument_text(call_of("socket", {AF_PACKET, 3, 0})) == "AF_PACKET");
  CHECK(argument_text(call_of("socket", {AF_NETLINK, 3, 9})) == "AF_NETLINK, protocol 9");
  CHECK(argument_text(call_of("socket", {AF_INET, 1, 132})) == "AF_INET, protocol 132");
  CHECK(argument_text(call_of("socket", {AF_INET6, SOCK_CLOEXEC | 5, 132})) ==
        "AF_INET6, type 5, protocol 132");
  CHECK(argument_text(call_of("socket", {AF_INET, SOCK_CLOEXEC | 2, 17})) == "AF_INET");
  CHECK(argument_text(call_of("socketpair", {AF_UNIX, 5, 0})) == "AF_UNIX");
  CHECK(argument_text(call_of("socket", {77})) == "77");
  CHECK(argument_text(call_of("clone", {CLONE_NEWUSER | CLONE_NEWNS | 17})) ==
        "CLONE_NEWUSER|CLONE_NEWNS");
  CHECK(argument_text(call_of("fchmodat", {0, 0, 04755})) == "mode 4755");
  CHECK(argument_text(call_of("mknod", {0, 020600})) == "a character device");
  CHECK(argument_text(call_of("ioctl", {0, 0x5412})) == "TIOCSTI");
  CHECK(argument_text(call_of("fcntl", {0, 1024})) == "F_SETLEASE");
  CHECK(argument_text(call_of("mount")).empty());
}

TEST_CASE("learning hears of named calls, or of all but some, and of no foreign table's") {
  const Asked plain{Request{}};
  const std::vector<sock_filter> told = notifying(plain.program(), OnDeny::fail);
  const std::vector<std::uint32_t> some{number_of("openat"), number_of("rename")};
  const std::vector<sock_filter> few = hearing(told, some);
  const std::vector<sock_filter> most = hearing_all(told, some);
  for (unsigned number = 0; number <= kLastNumber + 2; ++number) {
    const bool named = std::ranges::find(some, number) != some.end();
    CHECK_MESSAGE(ask(few, number) == (named ? kTold : ask(told, number)), number);
    CHECK_MESSAGE(ask(most, number) == (named ? ask(told, number) : kTold), number);
    CHECK(ask(most, number, {}, sbx::kOtherArchitecture) == kKill);
    CHECK(ask(few, number, {}, sbx::kOtherArchitecture) == kKill);
  }
  CHECK(ask(most, 0x40000000U) == ask(told, 0x40000000U));  // the x32 table
}

TEST_CASE("a call is told of by a bit of an argument") {
  const Asked plain{Request{}};
  const std::vector<FlaggedCall> calls{{number_of("sendto"), 3, MSG_FASTOPEN},
                                       {number_of("sendmsg"), 2, MSG_FASTOPEN}};
  const std::vector<sock_filter> told = hearing(plain.program(), calls);
  for (unsigned number = 0; number <= kLastNumber + 2; ++number) {
    CHECK(ask(told, number) == ask(plain.program(), number));
    CHECK(ask(told, number, {}, sbx::kOtherArchitecture) == kKill);
  }
  for (const std::uint64_t flags : {std::uint64_t{MSG_FASTOPEN}, ~std::uint64_t{0}}) {
    CHECK(ask(told, number_of("sendto"), {5, 0, 0, flags}) == kTold);
    CHECK(ask(told, number_of("sendto"), {5, 0, flags, 0}) == kAllow);
    CHECK(ask(told, number_of("sendmsg"), {5, 0, flags}) == kTold);
    CHECK(ask(told, number_of("sendmsg"), {5, 0, flags}, sbx::kOtherArchitecture) == kKill);
  }
  CHECK(ask(told, number_of("sendto"), {5, 0, 0, ~std::uint64_t{MSG_FASTOPEN}}) == kAllow);
}

TEST_CASE("what a call needs is added to a request, and nothing else is") {
  Request request;
  CHECK(allow_call(request, call_of("ptrace")));
  CHECK(request.allow == std::vector<std::string>{"@default", "@debug"});
  CHECK_FALSE(allow_call(request, call_of("ptrace")));  // it is allowed already
  CHECK_FALSE(allow_call(request, call_of("mount")));
  seccomp_data foreign = call_of("ptrace");
  foreign.arch = sbx::kOtherArchitecture;
  Request other;
  CHECK_FALSE(allow_call(other, foreign));
  CHECK(changes(Request{}, request).allow == std::vector<std::string>{"\"@debug\""});
  CHECK(changes(request, request).allow.empty());
}
