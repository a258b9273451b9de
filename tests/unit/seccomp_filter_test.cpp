// What the default filters answer, asked in user space: one promise a test.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <set>
#include <string>

#include "seccomp/conditions.hpp"
#include "seccomp_testing.hpp"

using namespace sbx::seccomp;           // NOLINT(google-build-using-namespace)
using namespace sbx::seccomp::testing;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::uint64_t kOpenCreate = 0100;
constexpr std::uint64_t kOpenTemporary = 020200000;

Asked asked(OnDeny mode) { return Asked(Request{.on_deny = mode}); }

}  // namespace

TEST_CASE("every call answers as its group says, in each mode") {
  const Asked fail = asked(OnDeny::fail);
  const Asked kill = asked(OnDeny::kill);
  const Asked log = asked(OnDeny::log);
  for (const Group& group : call_groups()) {
    for (const Call& call : group.calls) {
      CAPTURE(std::string(call.name));
      if (find_conditions(call.name) != nullptr) continue;
      switch (group.standing) {
        case Standing::allowed:
          CHECK(fail(call.name) == kAllow);
          CHECK(kill(call.name) == kAllow);
          CHECK(log(call.name) == kAllow);
          break;
        case Standing::optional:
          CHECK(fail(call.name) == fails(EPERM));
          CHECK(kill(call.name) == kKill);
          CHECK(log(call.name) == kLog);
          break;
        case Standing::never:
          CHECK(fail(call.name) == fails(group.error));
          CHECK(kill(call.name) == (group.error == ENOSYS ? fails(ENOSYS) : kKill));
          CHECK(log(call.name) == fails(group.error));
          break;
      }
    }
  }
}

TEST_CASE("clone3, openat2 and numbers newer than the table answer ENOSYS in every mode") {
  for (const OnDeny mode : {OnDeny::fail, OnDeny::kill, OnDeny::log}) {
    const Asked filter = asked(mode);
    CHECK(filter("clone3") == fails(ENOSYS));
    CHECK(filter("openat2") == fails(ENOSYS));
    for (unsigned number = 337; number <= 423; ++number) {
      CHECK(ask(filter.program(), number) == fails(ENOSYS));
    }
    for (const unsigned number : {kLastNumber + 1, 500U, 1000U, 0x3fffffffU, 0xffffffffU}) {
      CHECK(ask(filter.program(), number) == fails(ENOSYS));
    }
  }
}

TEST_CASE("foreign system-call tables are killed in every mode, whatever the number") {
  for (const OnDeny mode : {OnDeny::fail, OnDeny::kill, OnDeny::log}) {
    const Asked filter = asked(mode);
    for (unsigned number = 0; number < 1024; ++number) {
      CHECK(ask(filter.program(), number, {}, sbx::kOtherArchitecture) == kKill);
      CHECK(ask(filter.program(), number | kX32Bit) == kKill);
    }
    CHECK(ask(filter.program(), 0, {}, AUDIT_ARCH_AARCH64) == kKill);
    CHECK(ask(filter.program(), 0, {}, 0) == kKill);
    CHECK(ask(filter.program(), 0x80000000) == kKill);
    CHECK(ask(filter.program(), 0xfffffffe) == kKill);
  }
}

TEST_CASE("clone makes processes and threads but no namespace") {
  for (const OnDeny mode : {OnDeny::fail, OnDeny::log}) {
    const Asked filter = asked(mode);
    check_answer(filter, "clone", {17}, kAllow);          // fork
    check_answer(filter, "clone", {0x4111}, kAllow);      // vfork
    check_answer(filter, "clone", {0x3d0f00}, kAllow);    // pthread_create
    check_answer(filter, "clone", {0x01200011}, kAllow);  // glibc's fork
    for (const std::uint64_t flag : {0x00020000U, 0x02000000U, 0x04000000U, 0x08000000U,
                                     0x10000000U, 0x20000000U, 0x40000000U}) {
      check_answer(filter, "clone", {flag | 17}, fails(EPERM));
      check_answer(filter, "clone", {flag}, fails(EPERM));
    }
  }
  check_answer(asked(OnDeny::kill), "clone", {0x10000011}, kKill);
}

TEST_CASE("ioctl does not reach into terminals") {
  const Asked filter = asked(OnDeny::fail);
  const Asked log = asked(OnDeny::log);
  for (const std::uint64_t command : {0x5412U, 0x541cU, 0x541dU}) {  // TIOCSTI, -LINUX, -CONS
    check_answer(filter, "ioctl", {0, command}, fails(EPERM));
    check_answer(log, "ioctl", {0, command}, fails(EPERM));
  }
  check_answer(filter, "ioctl", {0, 0x5423}, fails(EPERM));  // TIOCSETD
  check_answer(filter, "fcntl", {0, 1024}, fails(EPERM));    // F_SETLEASE
  check_answer(filter, "fcntl", {0, 1040}, fails(EPERM));    // F_SETDELEG, Linux 6.19
  check_answer(log, "ioctl", {0, 0x5423}, kLog);
  for (const std::uint64_t command : {0x5401U, 0x5413U, 0x541bU, 0x5421U, 0x80045430U}) {
    check_answer(filter, "ioctl", {0, command}, kAllow);  // TCGETS, WINSZ, FIONREAD, FIONBIO, GPTN
  }
}

TEST_CASE("sockets are of four families, netlink of one protocol, pairs of one family") {
  const Asked filter = asked(OnDeny::fail);
  const std::set<std::uint64_t> inet{0, 1, 6, 17, 58, 136, 262};
  for (std::uint64_t family = 0; family < 64; ++family) {
    for (std::uint64_t protocol = 0; protocol < 300; ++protocol) {
      const bool known = family == 1 || (family == 16 && protocol == 0) ||
                         ((family == 2 || family == 10) && inet.contains(protocol));
      check_answer(filter, "socket", {family, 1, protocol}, known ? kAllow : fails(EPERM));
    }
    check_answer(filter, "socketpair", {family, 1, 0}, family == 1 ? kAllow : fails(EPERM));
  }
  // With SOCK_CLOEXEC and SOCK_NONBLOCK; a raw one may be of any protocol, for who has the right.
  for (std::uint64_t type = 0; type < 16; ++type)
    for (const std::uint64_t family : {2, 10}) {
      const bool known = type >= SOCK_STREAM && type <= SOCK_RAW;
      check_answer(filter, "socket", {family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0},
                   known ? kAllow : fails(EPERM));
    }
  CHECK(filter("socket", {2, SOCK_RAW, 89}) == kAllow);
  CHECK(filter("socket", {1, SOCK_SEQPACKET, 0}) == kAllow);
  CHECK(asked(OnDeny::kill)("socket", {40}) == kKill);
  CHECK(asked(OnDeny::log)("socket", {40}) == kLog);
}

TEST_CASE("no filter is compiled for a socket, and no policy kept for a page") {
  const Asked filter = asked(OnDeny::fail);
  for (const std::uint64_t option : {26U, 51U})  // SO_ATTACH_FILTER, SO_ATTACH_REUSEPORT_CBPF
    check_answer(filter, "setsockopt", {3, 1, option}, fails(EPERM));
  for (const std::uint64_t option : {2U, 6U, 9U, 15U, 27U, 31U})
    check_answer(filter, "setsockopt", {3, 1, option}, kAllow);  // SO_REUSEADDR, SO_DETACH_FILTER
  for (const std::uint64_t option : {1U, 26U, 51U})
    check_answer(filter, "setsockopt", {3, 6, option}, kAllow);  // TCP_NODELAY
  check_answer(filter, "mbind", {}, fails(EPERM));
  check_answer(filter, "set_mempolicy", {}, kAllow);
}

TEST_CASE("no file gets a set-id bit, however it is made") {
  const Asked filter = asked(OnDeny::fail);
  struct ModeCall {
    const char* call;
    unsigned index;
  };
  for (const ModeCall& row : {ModeCall{"chmod", 1}, ModeCall{"fchmod", 1}, ModeCall{"fchmodat", 2},
                              ModeCall{"fchmodat2", 2}, ModeCall{"creat", 1}, ModeCall{"mknod", 1},
                              ModeCall{"mknodat", 2}}) {
    for (std::uint64_t mode = 0; mode <= 07777; ++mode) {
      Args args{};
      args[row.index] = mode;
      CHECK(filter(row.call, args) == ((mode & 06000) != 0 ? fails(EPERM) : kAllow));
      args[row.index] |= std::uint64_t{1} << 40U;
      CHECK(filter(row.call, args) == ((mode & 06000) != 0 ? fails(EPERM) : kAllow));
    }
  }
  for (const ModeCall& row : {ModeCall{"open", 1}, ModeCall{"openat", 2}}) {
    for (const std::uint64_t flags : {kOpenCreate, kOpenTemporary, kOpenCreate | 02001}) {
      Args args{};
      args[row.index] = flags;
      args[row.index + 1] = 0644;
      check_answer(filter, row.call, args, kAllow);
      args[row.index + 1] = 04755;
      check_answer(filter, row.call, args, fails(EPERM));
      check_answer(asked(OnDeny::log), row.call, args, fails(EPERM));
      args[row.index + 1] = 02755;
      check_answer(filter, row.call, args, fails(EPERM));
    }
    Args reading{};  // without O_CREAT the mode is garbage that the kernel does not read
    reading[row.index + 1] = 06777;
    check_answer(filter, row.call, reading, kAllow);
    reading[row.index] = 0200000;  // O_DIRECTORY is part of O_TMPFILE, but creates nothing
    check_answer(filter, row.call, reading, kAllow);
  }
}

TEST_CASE("mknod makes FIFOs, sockets and files but no devices") {
  const Asked filter = asked(OnDeny::fail);
  for (const std::uint64_t mode : {0644U, 0100644U, 0010644U, 0140644U}) {
    check_answer(filter, "mknod", {0, mode}, kAllow);
    check_answer(filter, "mknodat", {0, 0, mode}, kAllow);
  }
  for (const std::uint64_t mode : {0020666U, 0060660U}) {
    check_answer(filter, "mknod", {0, mode}, fails(EPERM));
    check_answer(filter, "mknodat", {0, 0, mode}, fails(EPERM));
    check_answer(asked(OnDeny::log), "mknod", {0, mode}, fails(EPERM));
  }
}

TEST_CASE("personality is the plain one, the 32-bit name, or the query") {
  const Asked filter = asked(OnDeny::fail);
  for (const std::uint64_t persona : {0U, 8U, 0xffffffffU}) {
    check_answer(filter, "personality", {persona}, kAllow);
  }
  for (const std::uint64_t persona : {0x40000U, 0x40008U, 0x100000U, 0x400000U, 1U, 0xfffffffeU}) {
    check_answer(filter, "personality", {persona}, fails(EPERM));
  }
}

TEST_CASE("prctl options are allowed, denied, or unknown as to an old kernel") {
  const Asked filter = asked(OnDeny::fail);
  const Asked kill = asked(OnDeny::kill);
  for (const std::uint64_t option : {1U, 4U, 15U, 16U, 22U, 36U, 38U, 47U, 65U, 0x53564d41U}) {
    check_answer(filter, "prctl", {option}, kAllow);
    check_answer(kill, "prctl", {option}, kAllow);
  }
  for (const std::uint64_t option : {28U, 35U, 53U, 57U, 59U, 62U, 67U}) {
    check_answer(filter, "prctl", {option}, fails(EPERM));
    check_answer(kill, "prctl", {option}, kKill);
  }
  for (const std::uint64_t option : {0U, 5U, 43U, 64U, 79U, 1000U, 0xffffffffU}) {
    check_answer(filter, "prctl", {option}, fails(EINVAL));
    check_answer(kill, "prctl", {option}, fails(EINVAL));
  }
}

TEST_CASE("a process may filter itself and limit itself, but nobody else") {
  const Asked filter = asked(OnDeny::fail);
  check_answer(filter, "seccomp", {1, 0}, kAllow);
  check_answer(filter, "seccomp", {1, 1}, kAllow);  // SECCOMP_FILTER_FLAG_TSYNC
  check_answer(filter, "seccomp", {2, 8}, kAllow);  // GET_ACTION_AVAIL has no flags to misuse
  check_answer(filter, "seccomp", {1, 8}, fails(EPERM));
  check_answer(filter, "seccomp", {1, 9}, fails(EPERM));
  check_answer(filter, "prlimit64", {0, 7}, kAllow);
  check_answer(filter, "prlimit64", {1, 7}, fails(EPERM));
  CHECK(filter("prlimit64", {std::uint64_t{1} << 32U}) == kAllow);  // pid_t has 32 bits: still 0
}

TEST_CASE("a process may say when others run, but not when init does") {
  const Asked filter = asked(OnDeny::fail);
  for (const char* call :
       {"sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler"}) {
    check_answer(filter, call, {0}, kAllow);
    check_answer(filter, call, {7}, kAllow);
    check_answer(filter, call, {1}, fails(EPERM));
    CHECK(filter(call, {1 | std::uint64_t{1} << 32U}) == fails(EPERM));  // still init
  }
  check_answer(filter, "setpriority", {PRIO_PROCESS, 0, 19}, kAllow);
  check_answer(filter, "setpriority", {PRIO_PGRP, 7, 19}, kAllow);
  check_answer(filter, "setpriority", {PRIO_PROCESS, 1, 19}, fails(EPERM));
  check_answer(filter, "setpriority", {PRIO_PGRP, 1, 19}, fails(EPERM));
  check_answer(filter, "setpriority", {PRIO_USER, 0, 19}, fails(EPERM));
  check_answer(filter, "ioprio_set", {1, 7}, kAllow);
  check_answer(filter, "ioprio_set", {1, 1}, fails(EPERM));
  check_answer(filter, "ioprio_set", {2, 1}, fails(EPERM));
  check_answer(filter, "ioprio_set", {3, 0}, fails(EPERM));
}
