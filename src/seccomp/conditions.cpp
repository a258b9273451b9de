// The argument rules. Numbers are the kernel's own, spelt out where Debian 12's headers lack them.
// Everything here is read by the kernel as 32 bits or less, so all tests compare low words.
#include "seccomp/conditions.hpp"

#include <asm/ioctls.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <initializer_list>

namespace sbx::seccomp {
namespace {

ArgTest is(unsigned index, std::uint64_t value) { return {index, Compare::equal, value}; }
ArgTest is_not(unsigned index, std::uint64_t value) { return {index, Compare::not_equal, value}; }
ArgTest has_any(unsigned index, std::uint64_t bits) {
  return {index, Compare::masked_not_equal, 0, bits};
}
ArgTest masked_is(unsigned index, std::uint64_t bits, std::uint64_t value) {
  return {index, Compare::masked_equal, value, bits};
}

/// The argument is none of `values`.
std::vector<ArgTest> none_of(unsigned index, std::initializer_list<std::uint64_t> values) {
  std::vector<ArgTest> tests;
  tests.reserve(values.size());
  for (const std::uint64_t value : values) tests.push_back(is_not(index, value));
  return tests;
}

// CLONE_NEWTIME (0x80) is missing on purpose: clone(2) reads that bit as part of the exit signal,
// only clone3 and unshare take it as a flag.
constexpr std::uint64_t kNamespaceFlags = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                          CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
                                          CLONE_NEWNET;

constexpr std::uint64_t kSetIdBits = S_ISUID | S_ISGID;

/// open(2) reads its mode only with one of these (WILL_CREATE in the kernel). O_TMPFILE without the
/// O_DIRECTORY that it contains.
constexpr std::uint64_t kCreateFlags = O_CREAT | (O_TMPFILE & ~O_DIRECTORY);

constexpr std::string_view kSetIdReason =
    "no set-user-id or set-group-id bit: a file written through a mount of the caller's would be a "
    "gift to another user of the host";

ConditionedCall mode_call(std::string_view call, unsigned mode) {
  return {call, kSetIdReason, {{Denial::firm, {has_any(mode, kSetIdBits)}}}};
}

ConditionedCall open_call(std::string_view call, unsigned flags) {
  return {call,
          kSetIdReason,
          {{Denial::firm, {has_any(flags, kCreateFlags), has_any(flags + 1, kSetIdBits)}}}};
}

ConditionedCall mknod_call(std::string_view call, unsigned mode) {
  return {call,
          "no device nodes, and no set-user-id or set-group-id bit",
          {{Denial::firm, {has_any(mode, kSetIdBits)}},
           {Denial::firm, {masked_is(mode, S_IFMT, S_IFCHR)}},
           {Denial::firm, {masked_is(mode, S_IFMT, S_IFBLK)}}}};
}

constexpr std::uint64_t kSetMdwe = 65;  // PR_SET_MDWE, Linux 6.3
constexpr std::uint64_t kGetMdwe = 66;
constexpr std::uint64_t kSetMemoryMerge = 67;  // PR_SET_MEMORY_MERGE, Linux 6.4
constexpr std::uint64_t kGetMemoryMerge = 68;
constexpr std::uint64_t kGetAuxv = 0x41555856;  // PR_GET_AUXV, Linux 6.4

constexpr std::uint64_t kSetDelegation = F_SETLEASE + 16;  // F_SETDELEG, Linux 6.19

/// prctl(2) grows with every kernel, so what is allowed is listed.
constexpr std::initializer_list<std::uint64_t> kAllowedOptions{PR_SET_PDEATHSIG,
                                                               PR_GET_PDEATHSIG,
                                                               PR_GET_DUMPABLE,
                                                               PR_SET_DUMPABLE,
                                                               PR_GET_KEEPCAPS,
                                                               PR_SET_KEEPCAPS,
                                                               PR_GET_TIMING,
                                                               PR_SET_TIMING,
                                                               PR_SET_NAME,
                                                               PR_GET_NAME,
                                                               PR_GET_SECCOMP,
                                                               PR_SET_SECCOMP,
                                                               PR_CAPBSET_READ,
                                                               PR_CAPBSET_DROP,
                                                               PR_GET_TSC,
                                                               PR_SET_TSC,
                                                               PR_GET_SECUREBITS,
                                                               PR_SET_TIMERSLACK,
                                                               PR_GET_TIMERSLACK,
                                                               PR_TASK_PERF_EVENTS_DISABLE,
                                                               PR_TASK_PERF_EVENTS_ENABLE,
                                                               PR_MCE_KILL,
                                                               PR_MCE_KILL_GET,
                                                               PR_SET_CHILD_SUBREAPER,
                                                               PR_GET_CHILD_SUBREAPER,
                                                               PR_SET_NO_NEW_PRIVS,
                                                               PR_GET_NO_NEW_PRIVS,
                                                               PR_GET_TID_ADDRESS,
                                                               PR_SET_THP_DISABLE,
                                                               PR_GET_THP_DISABLE,
                                                               PR_CAP_AMBIENT,
                                                               PR_GET_SPECULATION_CTRL,
                                                               PR_GET_IO_FLUSHER,
                                                               kSetMdwe,
                                                               kGetMdwe,
                                                               kGetMemoryMerge,
                                                               PR_SET_VMA,
                                                               PR_SET_PTRACER,
                                                               kGetAuxv};
/// By name: those that move the kernel's view of a process (SET_MM), undo a mitigation
/// (SET_SPECULATION_CTRL), merge pages with other processes (a known side channel), tie it to
/// others' cores, or redirect its calls.
constexpr std::initializer_list<std::uint64_t> kDeniedOptions{PR_SET_SECUREBITS,
                                                              PR_SET_MM,
                                                              PR_SET_SPECULATION_CTRL,
                                                              PR_SET_IO_FLUSHER,
                                                              PR_SET_SYSCALL_USER_DISPATCH,
                                                              PR_SCHED_CORE,
                                                              kSetMemoryMerge};

ConditionedCall prctl_call() {
  ConditionedCall row{"prctl",
                      "options that only concern the caller; none that loosens or attacks; a "
                      "filter of its own only "
                      "as seccomp(2) may make one",
                      {}};
  Condition unknown{Denial::unknown, {}};
  unknown.tests.reserve(kAllowedOptions.size() + kDeniedOptions.size());
  for (const std::uint64_t option : kAllowedOptions) unknown.tests.push_back(is_not(0, option));
  for (const std::uint64_t option : kDeniedOptions) {
    row.conditions.push_back({Denial::ordinary, {is(0, option)}});
    unknown.tests.push_back(is_not(0, option));
  }
  row.conditions.push_back({Denial::ordinary, {is(0, PR_SET_SECCOMP)}, "seccomp"});
  row.conditions.push_back(std::move(unknown));
  return row;
}

constexpr std::uint64_t kInit = 1;
constexpr std::uint64_t kIoprioWhoUser = 3;  // linux/ioprio.h, which in newer kernels is no C++

constexpr std::string_view kScheduleReason =
    "not on init (pid 1), nor on all that is the user's: it has the same user id, and without a "
    "processor it could not end the run";

/// Calls whose first argument is a process.
ConditionedCall schedule_call(std::string_view call) {
  return {call, kScheduleReason, {{Denial::ordinary, {is(0, kInit)}}}};
}

/// Calls on a process, a process group (init's is 1, too) or a user.
ConditionedCall priority_call(std::string_view call, std::uint64_t user) {
  return {call,
          kScheduleReason,
          {{Denial::ordinary, {is(1, kInit)}}, {Denial::ordinary, {is(0, user)}}}};
}

constexpr std::uint64_t kTypeBits = 0xf;      // SOCK_TYPE_MASK; SOCK_CLOEXEC and so on are above
constexpr std::uint64_t kMultipathTcp = 262;  // IPPROTO_MPTCP

ArgTest is_not_of_type(std::uint64_t type) {
  return {1, Compare::masked_not_equal, type, kTypeBits};
}

/// A protocol that nobody has asked for yet is a module that the kernel loads for anybody
/// (inet_create()): SCTP, DCCP (CVE-2017-6074), L2TP, SMC. A raw socket needs no module and
/// CAP_NET_RAW; SOCK_PACKET is AF_PACKET under an old name.
ConditionedCall socket_call() {
  // What the first condition leaves is AF_INET and AF_INET6.
  const std::vector<ArgTest> internet = none_of(0, {AF_UNIX, AF_NETLINK});
  Condition type{Denial::ordinary, internet};
  for (const std::uint64_t known : {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW})
    type.tests.push_back(is_not_of_type(known));
  Condition protocol{Denial::ordinary, internet};
  protocol.tests.push_back(is_not_of_type(SOCK_RAW));
  for (const std::uint64_t known :
       {std::uint64_t{IPPROTO_IP}, std::uint64_t{IPPROTO_TCP}, std::uint64_t{IPPROTO_UDP},
        std::uint64_t{IPPROTO_ICMP}, std::uint64_t{IPPROTO_ICMPV6}, std::uint64_t{IPPROTO_UDPLITE},
        kMultipathTcp})
    protocol.tests.push_back(is_not(2, known));
  return {"socket",
          "only AF_UNIX, AF_INET and AF_INET6 with TCP, UDP and ICMP, and AF_NETLINK with "
          "NETLINK_ROUTE",
          {{Denial::ordinary, none_of(0, {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK})},
           {Denial::ordinary, {is(0, AF_NETLINK), is_not(2, NETLINK_ROUTE)}},
           std::move(type),
           std::move(protocol)}};
}

std::vector<ConditionedCall> make_table() {
  return {
      {"clone", "no new namespace (CLONE_NEW*)", {{Denial::firm, {has_any(0, kNamespaceFlags)}}}},
      {"ioctl",
       "no input pushed into a terminal (TIOCSTI, TIOCLINUX: CVE-2017-5226, CVE-2023-28100), no "
       "console redirection, no line discipline (each is a kernel module of its own)",
       {{Denial::firm, {is(1, TIOCSTI)}},
        {Denial::firm, {is(1, TIOCLINUX)}},
        {Denial::firm, {is(1, TIOCCONS)}},
        {Denial::ordinary, {is(1, TIOCSETD)}}}},
      {"fcntl",
       "no lease (F_SETLEASE, F_SETDELEG): while it is held, everybody else who opens the file, or "
       "changes the folder, waits, on the host and in other sandboxes",
       {{Denial::ordinary, {is(1, F_SETLEASE)}}, {Denial::ordinary, {is(1, kSetDelegation)}}}},
      socket_call(),
      {"setsockopt",
       "no filter of its own (SO_ATTACH_FILTER): the kernel compiles each for each socket, in "
       "memory "
       "that no cgroup counts and of which all of the host has so much (bpf_jit_limit)",
       {{Denial::ordinary, {is(1, SOL_SOCKET), is(2, SO_ATTACH_FILTER)}},
        {Denial::ordinary, {is(1, SOL_SOCKET), is(2, SO_ATTACH_REUSEPORT_CBPF)}}}},
      {"socketpair", "only AF_UNIX", {{Denial::ordinary, {is_not(0, AF_UNIX)}}}},
      {"personality",
       "only PER_LINUX, PER_LINUX32 and the query: others switch off address randomisation or map "
       "page zero",
       {{Denial::ordinary, none_of(0, {PER_LINUX, PER_LINUX32, 0xffffffff})}}},
      prctl_call(),
      {"seccomp",
       "no listener: it would answer calls in the name of other processes",
       {{Denial::ordinary,
         {is(0, SECCOMP_SET_MODE_FILTER), has_any(1, SECCOMP_FILTER_FLAG_NEW_LISTENER)}}}},
      {"prlimit64",
       "only on the caller itself (pid 0): init has the same user id",
       {{Denial::ordinary, {is_not(0, 0)}}}},
      schedule_call("sched_setaffinity"),
      schedule_call("sched_setattr"),
      schedule_call("sched_setparam"),
      schedule_call("sched_setscheduler"),
      priority_call("setpriority", PRIO_USER),
      priority_call("ioprio_set", kIoprioWhoUser),
      mode_call("chmod", 1),
      mode_call("fchmod", 1),
      mode_call("fchmodat", 2),
      mode_call("fchmodat2", 2),
      mode_call("creat", 1),
      open_call("open", 1),
      open_call("openat", 2),
      mknod_call("mknod", 1),
      mknod_call("mknodat", 2),
  };
}

const std::vector<ConditionedCall>& table() {
  static const std::vector<ConditionedCall> rows = make_table();
  return rows;
}

}  // namespace

std::span<const ConditionedCall> conditioned_calls() { return table(); }

std::vector<ArgTest> asks_for_huge_page(std::string_view call) {
  if (call == "mmap") return {has_any(3, MAP_HUGETLB)};
  if (call == "memfd_create") return {has_any(1, MFD_HUGETLB)};
  if (call == "shmget") return {has_any(2, SHM_HUGETLB)};
  return {};
}

std::vector<ArgTest> sets_core_limit(std::string_view call) {
  if (call == "setrlimit") return {is(0, RLIMIT_CORE)};
  // A null pointer only asks; any other sets, also one whose low half is zero.
  if (call == "prlimit64") return {is(1, RLIMIT_CORE), {2, Compare::not_equal, 0, 0, false}};
  return {};
}

const ConditionedCall* find_conditions(std::string_view call) {
  for (const ConditionedCall& row : table()) {
    if (row.call == call) return &row;
  }
  return nullptr;
}

}  // namespace sbx::seccomp
