#include "os/cgroup_scope.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "os/cgroup_file.hpp"
#include "os/cgroup_find.hpp"
#include "os/scope_anchor.hpp"

namespace sbx::os {
namespace {

// Debian's since 2013, and every other distribution's; a name on PATH would be the caller's to
// plant.
constexpr const char* kBusctl = "/usr/bin/busctl";
constexpr const char* kCallTimeout = "--timeout=25";  // sooner than the anchor: busctl says why

bool is_own_socket(const std::string& path) {
  struct ::stat what{};
  return ::stat(path.c_str(), &what) == 0 && S_ISSOCK(what.st_mode) && what.st_uid == ::geteuid();
}

/// Where systemd's manager of this user listens: always below /run/user (pam_systemd(8)), unless
/// the session says otherwise; one that was started without PAM says nothing.
std::string bus_socket() {
  const char* const told = std::getenv("XDG_RUNTIME_DIR");
  if (told != nullptr && told[0] == '/' && is_own_socket(std::string(told) + "/bus"))
    return std::string(told) + "/bus";
  return "/run/user/" + std::to_string(::geteuid()) + "/bus";
}

using Words = std::vector<std::string>;

/// A call of the manager's method `name`, whose arguments follow.
Words call_of(const char* name) {
  return {kBusctl,
          "--address=unix:path=" + bus_socket(),
          kCallTimeout,
          "--quiet",
          "call",
          "org.freedesktop.systemd1",
          "/org/freedesktop/systemd1",
          "org.freedesktop.systemd1.Manager",
          name};
}

Words start_transient_unit(const std::string& unit, pid_t pid, const std::string& cpu_weight) {
  const bool weighs = !cpu_weight.empty();
  Words words = call_of("StartTransientUnit");
  // name, what to do if there is one, how many properties, no auxiliary units
  words.insert(words.end(), {"ssa(sv)a(sa(sv))", unit, "fail", weighs ? "5" : "4", "Description",
                             "s", "sandbox of sbx", "PIDs", "au", "1", std::to_string(pid),
                             "Delegate", "b", "true", "CollectMode", "s", "inactive-or-failed"});
  if (weighs) words.insert(words.end(), {"CPUWeight", "t", cpu_weight});
  words.emplace_back("0");
  return words;
}

/// Between groups that are not both below one of ours only the manager can move a process.
Words attach_process(const std::string& unit, pid_t pid) {
  Words words = call_of("AttachProcessesToUnit");
  words.insert(words.end(), {"ssau", unit, "", "1", std::to_string(pid)});
  return words;
}

}  // namespace

ManagerFacts find_user_manager(const std::string& mount) {
  ManagerFacts facts;
  const std::string socket = bus_socket();
  if (!is_own_socket(socket)) {
    facts.problem = "no systemd manager of this user runs (" + socket + " is not there)";
    facts.fix = "sudo loginctl enable-linger $USER";
    return facts;
  }
  if (::access(kBusctl, X_OK) != 0) {
    facts.problem =
        std::string(kBusctl) + ", which would ask the user's systemd manager, is missing";
    facts.fix = "install systemd's busctl";
    return facts;
  }
  const std::string uid = std::to_string(::geteuid());
  const std::string listed = read_kernel_text(mount + "/user.slice/user-" + uid + ".slice/user@" +
                                              uid + ".service/cgroup.controllers");
  // Not to be seen from here: what systemd hands to every user's manager by default.
  facts.controllers = words_of(listed.empty() ? "cpu memory pids" : listed, ' ');
  return facts;
}

SysResult<std::string> enter_scope(const std::string& mount, const std::string& name,
                                   const std::string& cpu_weight, std::string& said) {
  const std::string unit = name + ".scope";
  const auto start = [&](pid_t anchor) { return start_transient_unit(unit, anchor, cpu_weight); };
  const ScopeCalls calls{start, attach_process(unit, ::getpid())};
  switch (SBX_TRY(move_with_anchor(calls, mount, unit, said))) {
    case Moved::yes:
      return own_v2_group(mount);
    case Moved::refused:
      return std::unexpected(Errno{ECONNREFUSED});
    case Moved::late:
      break;
  }
  said = "the manager took the job, but did not move sbx into " + unit;
  return std::unexpected(Errno{ETIMEDOUT});
}

}  // namespace sbx::os
