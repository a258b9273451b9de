// What the filter closes where no namespaces stand around the payload.
#include <doctest/doctest.h>
#include <sys/socket.h>

#include "seccomp/shared_host.hpp"
#include "seccomp_testing.hpp"

using namespace sbx;                    // NOLINT(google-build-using-namespace)
using namespace sbx::seccomp;           // NOLINT(google-build-using-namespace)
using namespace sbx::seccomp::testing;  // NOLINT(google-build-using-namespace)

namespace {

constexpr SharedHost kOffline{.shared = true};
constexpr SharedHost kOnline{.shared = true, .online = true};
constexpr SharedHost kOwnId{.shared = true, .own_id = true};

}  // namespace

TEST_CASE("every rule names a call of the table, and has its reason") {
  for (const SharedHost& how : {kOffline, kOnline, kOwnId})
    for (const SharedRule& rule : shared_host_rules(how)) {
      CHECK_MESSAGE(find_call(rule.call), rule.call);
      CHECK_FALSE(shared_host_reason(how, rule.call).empty());
    }
  CHECK(shared_host_rules({}).empty());
  CHECK(shared_host_reason({}, "chmod").empty());
}

TEST_CASE("attributes of files, queues, keys and watches are closed to the caller's own user") {
  const Asked user({.shared_host = kOffline});
  CHECK(user("chmod") == fails(EPERM));
  CHECK(user("utimensat") == fails(EPERM));
  CHECK(user("getxattr") == fails(EOPNOTSUPP));
  CHECK(user("shmget") == fails(ENOSYS));
  CHECK(user("inotify_init1") == fails(ENOSYS));
  const Asked other({.shared_host = kOwnId});
  CHECK(other("chmod") == kAllow);
  CHECK(other("chmod", {0, 04755}) == fails(EPERM));
  CHECK(other("getxattr") == fails(EOPNOTSUPP));
  CHECK(other("shmget") == fails(ENOSYS));
}

TEST_CASE("no profile opens what stands firm") {
  const std::vector<std::string> all{"@default", "@keyring", "@io-uring"};
  for (const OnDeny mode : {OnDeny::fail, OnDeny::log}) {
    const Asked asked({.on_deny = mode, .allow = all, .shared_host = kOffline});
    for (const char* call : {"keyctl", "io_uring_setup", "chmod"})
      CHECK(asked(call) == fails(EPERM));
    CHECK(asked("shmget") == fails(ENOSYS));
  }
  // Nor does to deny a call under log: what is left of it is logged, and no more.
  for (const SharedHost& how : {kOffline, kOwnId}) {
    const std::vector<SharedRule> rules = shared_host_rules(how);
    Request request{.on_deny = OnDeny::log, .shared_host = how};
    for (const SharedRule& rule : rules) request.deny.emplace_back(rule.call);
    const Asked logged(request);
    for (const SharedRule& rule : rules)
      if (rule.tests.empty()) CHECK_MESSAGE(logged(rule.call) == fails(rule.error), rule.call);
    CHECK(logged("socketpair", {AF_UNIX, SOCK_DGRAM}) == fails(EPERM));
    CHECK(logged("socketpair", {AF_UNIX, SOCK_STREAM}) == kLog);
    CHECK(logged("prlimit64", {7}) == fails(EPERM));
    CHECK(logged("prlimit64", {0}) == kLog);
    CHECK(logged("ioctl", {0, 0x5412}) == fails(EPERM));
    CHECK(logged("setpriority", {0, 7}) == fails(EPERM));
  }
  const Asked user({.on_deny = OnDeny::log, .deny = {"ioctl"}, .shared_host = kOffline});
  CHECK(user("ioctl", {0, 0x40086602}) == fails(ENOTTY));
  const Asked online({.on_deny = OnDeny::log, .deny = {"socket"}, .shared_host = kOnline});
  CHECK(online("socket", {AF_UNIX, SOCK_STREAM}) == fails(EAFNOSUPPORT));
  CHECK(online("socket", {AF_INET, SOCK_STREAM}) == kLog);
  const Asked killed({.on_deny = OnDeny::kill, .shared_host = kOffline});
  CHECK(killed("chmod") == kKill);
  CHECK(killed("shmget") == fails(ENOSYS));
  for (const SharedHost& how : {kOffline, kOwnId})
    CHECK(Asked({.on_deny = OnDeny::log, .shared_host = how})("prlimit64", {7}) == fails(EPERM));
}

TEST_CASE("sockets: none without the network, never one of the host's tree") {
  const Asked offline({.shared_host = kOffline});
  const Asked online({.shared_host = kOnline});
  for (const std::uint64_t garbage : kGarbage) {
    CHECK(offline("socket", {AF_INET | garbage, SOCK_DGRAM}) == fails(ENETUNREACH));
    CHECK(offline("socket", {AF_UNIX | garbage, SOCK_STREAM}) == fails(EAFNOSUPPORT));
    CHECK(online("socket", {AF_UNIX | garbage, SOCK_STREAM}) == fails(EAFNOSUPPORT));
    CHECK(online("socket", {AF_INET | garbage, SOCK_DGRAM}) == kAllow);
    for (const Asked* asked : {&offline, &online}) {
      CHECK((*asked)("socketpair", {AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | garbage}) == kAllow);
      CHECK((*asked)("socketpair", {AF_UNIX, SOCK_SEQPACKET | garbage}) == kAllow);
      CHECK((*asked)("socketpair", {AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | garbage}) ==
            fails(EPERM));
    }
  }
  CHECK(offline("socket", {AF_NETLINK, SOCK_RAW}) == fails(EAFNOSUPPORT));
  CHECK(offline("connect") == fails(ENETUNREACH));
  CHECK(online("connect") == kAllow);
}

TEST_CASE("other processes of the same user are out of reach, one's own are not") {
  const Asked asked({.shared_host = kOwnId});  // init is of that user, too
  for (const char* call : {"sched_setaffinity", "sched_setscheduler", "sched_setattr"}) {
    CHECK(asked(call, {0}) == kAllow);
    CHECK(asked(call, {1}) == fails(EPERM));
  }
  CHECK(asked("setpriority", {0, 0}) == kAllow);
  CHECK(asked("setpriority", {0, 7}) == fails(EPERM));
  CHECK(asked("setpriority", {2, 0}) == fails(EPERM));
  CHECK(asked("ioprio_set", {1, 0}) == kAllow);
  CHECK(asked("ioprio_set", {3, 0}) == fails(EPERM));
  CHECK(asked("prlimit64", {7}) == fails(EPERM));
}

TEST_CASE("controls of terminals pass, those of file systems do not exist") {
  const Asked asked({.shared_host = kOffline});
  CHECK(asked("ioctl", {0, 0x5401}) == kAllow);             // TCGETS
  CHECK(asked("ioctl", {0, 0x541b}) == kAllow);             // FIONREAD
  CHECK(asked("ioctl", {0, 0x40086602}) == fails(ENOTTY));  // FS_IOC_SETFLAGS
  CHECK(asked("ioctl", {0, 0x5412}) == fails(EPERM));       // TIOCSTI
  CHECK(Asked({.shared_host = kOwnId})("ioctl", {0, 0x40086602}) == kAllow);
}
