#include "seccomp/shared_host.hpp"

#include <asm/ioctls.h>
#include <linux/fs.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <span>

namespace sbx::seccomp {
namespace {

/// ioprio_set(2). That of linux/ioprio.h, which in newer kernels is no C++: it has a
/// parameter `class`.
constexpr std::uint64_t kIoprioWhoUser = 3;

constexpr std::string_view kAttributes =
    "Landlock does not look at attributes of files, and the files around are the caller's "
    "(landlock(7))";
constexpr std::string_view kWatching =
    "it would tell of names and accesses in folders that the payload may not open";
constexpr std::string_view kIpc = "the queues and segments are the host's: no IPC namespace";
constexpr std::string_view kKeys = "the keys are the caller's: no user namespace";
constexpr std::string_view kUring = "its socket operations are none that a filter sees";
constexpr std::string_view kOthers =
    "only on the caller itself (0): other processes are the host's";
constexpr std::string_view kOtherControls =
    "only controls of terminals and descriptors: those of file systems change what Landlock does "
    "not look at";
constexpr std::string_view kUnix =
    "no AF_UNIX: the host's sockets are where they were, and Landlock does not keep from them";
constexpr std::string_view kOffline = "no socket: no network namespace stands around it";
constexpr std::string_view kPairs =
    "only connected pairs: a pair of datagram sockets can send to any other of the host's";

/// Calls that answer `error`, whatever they are asked for.
struct Family {
  std::string_view reason;
  int error;
  std::span<const std::string_view> calls;
  bool owners = false;  ///< harmless in the hands of a user to whom nothing belongs
};

constexpr std::array<std::string_view, 13> kAttributeCalls{
    "chmod",    "fchmod", "fchmodat", "fchmodat2", "chown",     "fchown",      "lchown",
    "fchownat", "utime",  "utimes",   "futimesat", "utimensat", "file_setattr"};
// Read as well: what is asked by a path is asked of any file of the host's.
constexpr std::array<std::string_view, 16> kExtendedCalls{
    "setxattr",    "lsetxattr",    "fsetxattr",    "setxattrat",   "getxattr",   "lgetxattr",
    "fgetxattr",   "getxattrat",   "listxattr",    "llistxattr",   "flistxattr", "listxattrat",
    "removexattr", "lremovexattr", "fremovexattr", "removexattrat"};
constexpr std::array<std::string_view, 5> kWatchCalls{
    "inotify_init", "inotify_init1", "inotify_add_watch", "fanotify_init", "fanotify_mark"};
constexpr std::array<std::string_view, 18> kIpcCalls{
    "shmget",  "shmat",     "shmdt",     "shmctl",       "semget",          "semop",
    "semctl",  "msgget",    "msgsnd",    "msgrcv",       "msgctl",          "semtimedop",
    "mq_open", "mq_unlink", "mq_notify", "mq_timedsend", "mq_timedreceive", "mq_getsetattr"};
constexpr std::array<std::string_view, 3> kKeyCalls{"add_key", "request_key", "keyctl"};
constexpr std::array<std::string_view, 3> kUringCalls{"io_uring_setup", "io_uring_enter",
                                                      "io_uring_register"};
constexpr std::array<std::string_view, 4> kConnecting{"connect", "bind", "listen", "accept"};

// The answers are those of a kernel without the feature, where C libraries and tools expect one.
constexpr std::array kFamilies{Family{kAttributes, EPERM, kAttributeCalls, true},
                               Family{kAttributes, EOPNOTSUPP, kExtendedCalls},
                               Family{kWatching, ENOSYS, kWatchCalls},
                               Family{kIpc, ENOSYS, kIpcCalls},
                               Family{kKeys, EPERM, kKeyCalls},
                               Family{kUring, EPERM, kUringCalls}};

constexpr std::array<std::string_view, 4> kOnOthers{"sched_setscheduler", "sched_setparam",
                                                    "sched_setattr", "sched_setaffinity"};

bool has(std::span<const std::string_view> calls, std::string_view call) {
  return std::ranges::find(calls, call) != calls.end();
}

ArgTest is(unsigned index, std::uint64_t value) { return {index, Compare::equal, value}; }
ArgTest is_not(unsigned index, std::uint64_t value) { return {index, Compare::not_equal, value}; }

/// socketpair(2)'s type without SOCK_CLOEXEC and SOCK_NONBLOCK.
ArgTest type_is_not(std::uint64_t type) { return {1, Compare::masked_not_equal, type, 0xf}; }

std::vector<ArgTest> other_controls() {
  constexpr std::array<std::uint64_t, 4> kTermios2{0x802c542a, 0x402c542b, 0x402c542c,
                                                   0x402c542d};  // TCGETS2, TCSETS2 and its kin
  constexpr std::array<std::uint64_t, 27> kControls{
      TCGETS,    TCSETS,    TCSETSW,    TCSETSF,    TCGETA,    TCSBRK,         TCSBRKP,
      TCXONC,    TCFLSH,    TIOCGWINSZ, TIOCSWINSZ, TIOCGPGRP, TIOCSPGRP,      TIOCGSID,
      TIOCSCTTY, TIOCNOTTY, TIOCOUTQ,   TIOCGETD,   TIOCEXCL,  TIOCNXCL,       FIONREAD,
      FIONBIO,   FIOASYNC,  FIOCLEX,    FIONCLEX,   FIOQSIZE,  FS_IOC_GETFLAGS};
  std::vector<ArgTest> tests;
  tests.reserve(kControls.size() + kTermios2.size());
  for (const std::uint64_t control : kControls) tests.push_back(is_not(1, control));
  for (const std::uint64_t control : kTermios2) tests.push_back(is_not(1, control));
  return tests;
}

void add_sockets(bool online, std::vector<SharedRule>& rules) {
  rules.push_back({"socket", EAFNOSUPPORT, {is(0, AF_UNIX)}});
  rules.push_back({"socketpair", EPERM, {type_is_not(SOCK_STREAM), type_is_not(SOCK_SEQPACKET)}});
  if (online) return;
  // As where there is no route; what else there is (AF_NETLINK) would show the host's network.
  rules.push_back({"socket", ENETUNREACH, {is(0, AF_INET)}});
  rules.push_back({"socket", ENETUNREACH, {is(0, AF_INET6)}});
  rules.push_back({"socket", EAFNOSUPPORT});
  for (const std::string_view call : kConnecting) rules.push_back({call, ENETUNREACH});
}

/// What the kernel lets a user do to all that is the same user's, init among them.
void add_same_user(std::vector<SharedRule>& rules) {
  rules.push_back({"prlimit64", EPERM, {is_not(0, 0)}});  // also where `log` lets others through
  for (const std::string_view call : kOnOthers) rules.push_back({call, EPERM, {is_not(0, 0)}});
  rules.push_back({"setpriority", EPERM, {is(0, PRIO_USER)}});
  rules.push_back({"setpriority", EPERM, {is_not(1, 0)}});
  rules.push_back({"ioprio_set", EPERM, {is(0, kIoprioWhoUser)}});
  rules.push_back({"ioprio_set", EPERM, {is_not(1, 0)}});
}

}  // namespace

std::vector<SharedRule> shared_host_rules(const SharedHost& how) {
  std::vector<SharedRule> rules;
  if (!how.shared) return rules;
  for (const Family& family : kFamilies)
    if (!family.owners || !how.own_id)
      for (const std::string_view call : family.calls) rules.push_back({call, family.error});
  add_same_user(rules);
  if (!how.own_id) rules.push_back({"ioctl", ENOTTY, other_controls()});
  add_sockets(how.online, rules);
  return rules;
}

std::string_view shared_host_reason(const SharedHost& how, std::string_view call) {
  if (!how.shared) return {};
  for (const Family& family : kFamilies)
    if (has(family.calls, call)) return family.owners && how.own_id ? "" : family.reason;
  if (has(kOnOthers, call) || call == "setpriority" || call == "ioprio_set" || call == "prlimit64")
    return kOthers;
  if (call == "ioctl") return how.own_id ? "" : kOtherControls;
  if (call == "socketpair") return kPairs;
  if (call == "socket") return how.online ? kUnix : kOffline;
  return !how.online && has(kConnecting, call) ? kOffline : std::string_view{};
}

}  // namespace sbx::seccomp
