// Attacks on the namespaces: making new ones, joining others, and seeing the host's.
#include <fcntl.h>
#include <linux/sched.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "verdict.hpp"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

namespace probe {
namespace {

constexpr struct {
  const char* name;
  std::uint64_t flag;
} kKinds[] = {
    {"user", CLONE_NEWUSER},     {"pid", CLONE_NEWPID},   {"mnt", CLONE_NEWNS},
    {"net", CLONE_NEWNET},       {"ipc", CLONE_NEWIPC},   {"uts", CLONE_NEWUTS},
    {"cgroup", CLONE_NEWCGROUP}, {"time", CLONE_NEWTIME},
};

std::uint64_t flag_of(const char* name) {
  for (const auto& kind : kKinds) {
    if (std::strcmp(kind.name, name) == 0) return kind.flag;
  }
  return 0;
}

Verdict make_by_unshare(Args args) {
  const auto flag = static_cast<int>(flag_of(args[0]));
  return in_child([&] { return judge(unshare(flag), std::string("unshare ") + args[0]); });
}

/// The child of a successful clone has nothing to do but end.
Verdict judge_clone(long pid, const std::string& what) {
  if (pid == 0) _exit(0);
  Verdict verdict = judge(pid, what);
  if (pid > 0) waitpid(static_cast<pid_t>(pid), nullptr, __WALL);
  return verdict;
}

/// With HIGH-BITS the flags carry bits above 32, which the kernel drops: a filter that compares 64
/// bits is fooled (CVE-2019-10063).
Verdict make_by_clone(Args args) {
  auto flags = flag_of(args[0]) | SIGCHLD;
  if (args.size() > 1) flags |= 1ULL << 40U;
  return in_child([&] {
    return judge_clone(syscall(SYS_clone, flags, 0, 0, 0, 0), std::string("clone ") + args[0]);
  });
}

Verdict make_by_clone3(Args args) {
  clone_args request{};
  request.flags = flag_of(args[0]);
  request.exit_signal = SIGCHLD;
  return in_child([&] {
    return judge_clone(syscall(SYS_clone3, &request, sizeof request),
                       std::string("clone3 ") + args[0]);
  });
}

/// Joins the namespace it is in: the permission is the same as for a foreign one.
Verdict join(Args args) {
  const int fd = open(args[0], O_RDONLY | O_CLOEXEC);
  if (fd < 0) return contained(std::string("open ") + args[0], errno);
  return in_child([&] { return judge(setns(fd, 0), std::string("setns ") + args[0]); });
}

Verdict hostname_is(Args args) {
  utsname names{};
  if (uname(&names) != 0) return untestable("uname", errno);
  return std::strcmp(names.nodename, args[0]) == 0
             ? escaped(std::string("sees the host's name ") + args[0])
             : contained(std::string("the name is ") + names.nodename);
}

Verdict rename_host(Args /*args*/) { return judge(sethostname("taken", 5), "sethostname"); }

Verdict interfaces(Args /*args*/) {
  std::string others;
  struct if_nameindex* all = if_nameindex();
  if (all == nullptr) return contained("if_nameindex", errno);
  for (struct if_nameindex* one = all; one->if_name != nullptr; ++one) {
    if (std::strcmp(one->if_name, "lo") != 0) others += std::string(" ") + one->if_name;
  }
  if_freenameindex(all);
  return others.empty() ? contained("only lo") : escaped("sees" + others);
}

/// /proc/self/cgroup tells how the host is organised unless the namespace starts at our group.
Verdict cgroup_path(Args /*args*/) {
  FILE* file = std::fopen("/proc/self/cgroup", "re");
  if (file == nullptr) return contained("open /proc/self/cgroup", errno);
  std::string shown;
  char line[4096];
  while (std::fgets(line, sizeof line, file) != nullptr) {
    const char* path = std::strrchr(line, ':');
    if (path != nullptr && std::strcmp(path, ":/\n") != 0) shown += std::string(" ") + line;
  }
  std::fclose(file);
  if (shown.empty()) return contained("every group is /");
  shown.pop_back();
  return escaped("sees" + shown);
}

constexpr Verb kVerbs[] = {
    {"unshare", "KIND", 1, make_by_unshare}, {"clone", "KIND [high-bits]", 1, make_by_clone},
    {"clone3", "KIND", 1, make_by_clone3},   {"setns", "PATH", 1, join},
    {"hostname-is", "NAME", 1, hostname_is}, {"rename-host", "", 0, rename_host},
    {"interfaces", "", 0, interfaces},       {"cgroup-path", "", 0, cgroup_path},
};

}  // namespace

std::span<const Verb> namespace_verbs() { return kVerbs; }

}  // namespace probe
