// Attacks on the payload's own rights: what it holds, and what it could gain.
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "verdict.hpp"

namespace probe {
namespace {

/// The value of one line of /proc/self/status, blanks trimmed; empty when there is none.
std::string status_line(const char* name) {
  FILE* file = std::fopen("/proc/self/status", "re");
  if (file == nullptr) return {};
  std::string value;
  char line[4096];
  const std::string prefix = std::string(name) + ":";
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::strncmp(line, prefix.c_str(), prefix.size()) == 0) value = line + prefix.size();
  }
  std::fclose(file);
  const auto first = value.find_first_not_of(" \t\n");
  if (first == std::string::npos) return {};
  return value.substr(first, value.find_last_not_of(" \t\n") - first + 1);
}

Verdict capabilities(Args /*args*/) {
  std::string held;
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
    const std::string value = status_line(set);
    if (value.empty()) return untestable("no /proc/self/status");
    if (value.find_first_not_of('0') != std::string::npos)
      held += std::string(" ") + set + "=" + value;
  }
  return held.empty() ? contained("all five sets are empty") : escaped("holds" + held);
}

Verdict no_new_privs(Args /*args*/) {
  return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? contained("no_new_privs is set")
                                                     : escaped("no_new_privs is not set");
}

Verdict securebits(Args /*args*/) {
  constexpr int kWanted = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                          SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                          SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
  const int bits = prctl(PR_GET_SECUREBITS, 0, 0, 0, 0);
  if (bits < 0) return untestable("PR_GET_SECUREBITS", errno);
  return (bits & kWanted) == kWanted ? contained("securebits are locked")
                                     : escaped("securebits are " + std::to_string(bits));
}

Verdict filtered(Args /*args*/) {
  return status_line("Seccomp") == "2" ? contained("a filter is in force")
                                       : escaped("no filter is in force");
}

/// The program behind is this one, set-user-ID to somebody else.
Verdict run_setuid(Args args) {
  std::fflush(stdout);
  execl(args[0], args[0], "gained", nullptr);
  return contained(std::string("execute ") + args[0], errno);
}

Verdict gained(Args /*args*/) {
  uid_t real = 0, effective = 0, saved = 0;
  getresuid(&real, &effective, &saved);
  if (real == effective && real == saved) return contained("no other user id was gained");
  return escaped("runs as user " + std::to_string(effective) + ", started by " +
                 std::to_string(real));
}

Verdict become_root(Args /*args*/) {
  if (getuid() == 0) return untestable("user id 0 already");
  if (setresuid(0, 0, 0) == 0) return escaped("setresuid(0, 0, 0)");
  const int error = errno;
  const gid_t group = 0;
  if (setgroups(1, &group) == 0) return escaped("setgroups");
  return contained("setresuid and setgroups", error);
}

Verdict groups(Args /*args*/) {
  const std::string held = status_line("Groups");
  return held.empty() ? contained("no supplementary groups") : escaped("in groups " + held);
}

/// Memory in which the low half of an address may be zero.
rlimit* round_address() {
  constexpr std::uintptr_t kPlace = std::uintptr_t{7} << 32U;
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  void* const memory = mmap(reinterpret_cast<void*>(kPlace), 4096, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  return memory == MAP_FAILED ? nullptr : new (memory) rlimit{};
}

/// A core file would carry the payload's memory to wherever core_pattern of the host says: to a
/// program also where the limit is 0, and to none where it is 1 (do_coredump()).
Verdict core_dumps(Args /*args*/) {
  rlimit before{};
  rlimit* const at_round = round_address();
  if (at_round == nullptr) return untestable("mmap", errno);
  for (const auto value : {rlim_t{0}, rlim_t{4096}, static_cast<rlim_t>(RLIM_INFINITY)}) {
    const rlimit wanted{value, std::max(value, rlim_t{1})};
    *at_round = wanted;
    for (const rlimit* limit : {&wanted, static_cast<const rlimit*>(at_round)}) {
      (void)syscall(SYS_setrlimit, RLIMIT_CORE, limit);
      (void)syscall(SYS_prlimit64, 0, RLIMIT_CORE, limit, nullptr);
      (void)syscall(SYS_prlimit64, 0, RLIMIT_CORE, limit, &before);
      (void)syscall(SYS_prlimit64, getpid(), RLIMIT_CORE, limit, nullptr);
      rlimit now{};
      if (getrlimit(RLIMIT_CORE, &now) != 0) return untestable("getrlimit", errno);
      if (now.rlim_cur != 1 || now.rlim_max != 1)
        return escaped("RLIMIT_CORE is " + std::to_string(now.rlim_cur));
    }
  }
  return contained("RLIMIT_CORE stays 1");
}

Verdict environment(Args args) {
  const char* value = std::getenv(args[0]);
  return value == nullptr ? contained(std::string(args[0]) + " is not there")
                          : escaped(std::string(args[0]) + "=" + value);
}

constexpr Verb kVerbs[] = {
    {"capabilities", "", 0, capabilities}, {"no-new-privs", "", 0, no_new_privs},
    {"securebits", "", 0, securebits},     {"filtered", "", 0, filtered},
    {"run-setuid", "PATH", 1, run_setuid}, {"gained", "", 0, gained},
    {"become-root", "", 0, become_root},   {"groups", "", 0, groups},
    {"core-dumps", "", 0, core_dumps},     {"environment", "NAME", 1, environment},
};

}  // namespace

std::span<const Verb> privilege_verbs() { return kVerbs; }

}  // namespace probe
