// The names of the arguments that filters deny for: the few that people know by name, numbers for
// the rest.
#include <asm/ioctls.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <span>
#include <string_view>

#include "seccomp/advice.hpp"

namespace sbx::seccomp {
namespace {

struct Named {
  std::uint64_t value;
  std::string_view name;
};

constexpr std::array<Named, 13> kFamilies{{{AF_UNIX, "AF_UNIX"},
                                           {AF_INET, "AF_INET"},
                                           {AF_INET6, "AF_INET6"},
                                           {AF_NETLINK, "AF_NETLINK"},
                                           {AF_PACKET, "AF_PACKET"},
                                           {AF_ALG, "AF_ALG"},
                                           {AF_VSOCK, "AF_VSOCK"},
                                           {AF_BLUETOOTH, "AF_BLUETOOTH"},
                                           {AF_KEY, "AF_KEY"},
                                           {AF_CAN, "AF_CAN"},
                                           {AF_TIPC, "AF_TIPC"},
                                           {AF_RDS, "AF_RDS"},
                                           {AF_XDP, "AF_XDP"}}};
constexpr std::array<Named, 8> kNamespaces{{{CLONE_NEWUSER, "CLONE_NEWUSER"},
                                            {CLONE_NEWNS, "CLONE_NEWNS"},
                                            {CLONE_NEWPID, "CLONE_NEWPID"},
                                            {CLONE_NEWNET, "CLONE_NEWNET"},
                                            {CLONE_NEWIPC, "CLONE_NEWIPC"},
                                            {CLONE_NEWUTS, "CLONE_NEWUTS"},
                                            {CLONE_NEWCGROUP, "CLONE_NEWCGROUP"},
                                            {CLONE_NEWTIME, "CLONE_NEWTIME"}}};
constexpr std::array<Named, 4> kTerminal{{{TIOCSTI, "TIOCSTI"},
                                          {TIOCLINUX, "TIOCLINUX"},
                                          {TIOCCONS, "TIOCCONS"},
                                          {TIOCSETD, "TIOCSETD"}}};
constexpr std::array<Named, 2> kCommands{
    {{F_SETLEASE, "F_SETLEASE"}, {F_SETLEASE + 16, "F_SETDELEG"}}};  // the latter: Linux 6.19
constexpr std::array<Named, 8> kOptions{
    {{PR_SET_SECCOMP, "PR_SET_SECCOMP"},
     {PR_SET_SECUREBITS, "PR_SET_SECUREBITS"},
     {PR_SET_MM, "PR_SET_MM"},
     {PR_SET_SPECULATION_CTRL, "PR_SET_SPECULATION_CTRL"},
     {PR_SET_IO_FLUSHER, "PR_SET_IO_FLUSHER"},
     {PR_SET_SYSCALL_USER_DISPATCH, "PR_SET_SYSCALL_USER_DISPATCH"},
     {PR_SCHED_CORE, "PR_SCHED_CORE"},
     {67, "PR_SET_MEMORY_MERGE"}}};  // Linux 6.4
constexpr std::array<Named, 4> kRequests{{{PTRACE_TRACEME, "PTRACE_TRACEME"},
                                          {PTRACE_SETOPTIONS, "PTRACE_SETOPTIONS"},
                                          {PTRACE_ATTACH, "PTRACE_ATTACH"},
                                          {PTRACE_SEIZE, "PTRACE_SEIZE"}}};

std::string number(const char* format, std::uint64_t value) {
  std::array<char, 40> text{};
  (void)std::snprintf(text.data(), text.size(), format, static_cast<unsigned long long>(value));
  return text.data();
}

std::string one_of(std::span<const Named> names, std::uint64_t value) {
  for (const Named& row : names)
    if (row.value == value) return std::string(row.name);
  return number("%llu", value);
}

std::string flags_of(std::span<const Named> names, std::uint64_t value) {
  std::string text;
  for (const Named& row : names) {
    if ((value & row.value) == 0) continue;
    if (!text.empty()) text += '|';
    text += row.name;
  }
  return text;
}

std::string mode_text(std::uint64_t mode) {
  if (S_ISCHR(mode)) return "a character device";
  if (S_ISBLK(mode)) return "a block device";
  return "mode " + number("%04llo", mode & 07777);
}

/// Filters look at 32 bits of these, as the kernel does.
std::uint64_t low(const seccomp_data& call, unsigned index) {
  return call.args[index] & 0xffffffff;
}

/// Of AF_INET it is the type or the protocol that is refused, unless it is one of every program's.
std::string family_text(const seccomp_data& call) {
  const std::uint64_t family = low(call, 0);
  const std::uint64_t type = low(call, 1) & 0xf;
  const std::uint64_t protocol = low(call, 2);
  std::string text = one_of(kFamilies, family);
  const bool internet = family == AF_INET || family == AF_INET6;
  if (internet && type != SOCK_STREAM && type != SOCK_DGRAM && type != SOCK_RAW)
    text += ", type " + number("%llu", type);
  const bool usual = protocol == 0 || protocol == IPPROTO_TCP || protocol == IPPROTO_UDP;
  if (family == AF_NETLINK || (internet && !usual))
    text += ", protocol " + number("%llu", protocol);
  return text;
}

std::string process_text(const seccomp_data& call) {
  return "process " + number("%llu", low(call, 0));
}

/// setpriority(2) counts from 0, ioprio_set(2) from 1.
std::string priority_text(const seccomp_data& call, std::uint64_t first) {
  constexpr std::array<std::string_view, 3> kWhose{"process ", "process group ", "user "};
  const std::uint64_t which = low(call, 0) - first;
  return which < kWhose.size() ? std::string(kWhose[which]) + number("%llu", low(call, 1)) : "";
}

struct Row {
  std::string_view call;
  std::string (*text)(const seccomp_data&);
};

// clang-format off
constexpr std::array<Row, 26> kRows{{
    {"socket", family_text},
    {"socketpair", family_text},
    {"clone", [](const seccomp_data& c) { return flags_of(kNamespaces, low(c, 0)); }},
    {"unshare", [](const seccomp_data& c) { return flags_of(kNamespaces, low(c, 0)); }},
    {"setns", [](const seccomp_data& c) { return flags_of(kNamespaces, low(c, 1)); }},
    {"ioctl", [](const seccomp_data& c) { return one_of(kTerminal, low(c, 1)); }},
    {"fcntl", [](const seccomp_data& c) { return one_of(kCommands, low(c, 1)); }},
    {"prctl", [](const seccomp_data& c) { return one_of(kOptions, low(c, 0)); }},
    {"ptrace", [](const seccomp_data& c) { return one_of(kRequests, low(c, 0)); }},
    {"personality", [](const seccomp_data& c) { return number("%#llx", low(c, 0)); }},
    {"prlimit64", process_text},
    {"sched_setaffinity", process_text},
    {"sched_setattr", process_text},
    {"sched_setparam", process_text},
    {"sched_setscheduler", process_text},
    {"setpriority", [](const seccomp_data& c) { return priority_text(c, 0); }},
    {"ioprio_set", [](const seccomp_data& c) { return priority_text(c, 1); }},
    {"chmod", [](const seccomp_data& c) { return mode_text(low(c, 1)); }},
    {"fchmod", [](const seccomp_data& c) { return mode_text(low(c, 1)); }},
    {"fchmodat", [](const seccomp_data& c) { return mode_text(low(c, 2)); }},
    {"fchmodat2", [](const seccomp_data& c) { return mode_text(low(c, 2)); }},
    {"creat", [](const seccomp_data& c) { return mode_text(low(c, 1)); }},
    {"open", [](const seccomp_data& c) { return mode_text(low(c, 2)); }},
    {"openat", [](const seccomp_data& c) { return mode_text(low(c, 3)); }},
    {"mknod", [](const seccomp_data& c) { return mode_text(low(c, 1)); }},
    {"mknodat", [](const seccomp_data& c) { return mode_text(low(c, 2)); }},
}};
// clang-format on

}  // namespace

std::string argument_text(const seccomp_data& call) {
  const CallFacts facts = find_call(static_cast<unsigned>(call.nr));
  if (!facts) return {};
  for (const Row& row : kRows)
    if (row.call == facts.call->name) return row.text(call);
  return {};
}

}  // namespace sbx::seccomp
