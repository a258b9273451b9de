#include "os/cgroup_scope.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "os/cgroup_file.hpp"
#include "os/cgroup_find.hpp"
#include "os/fd.hpp"

namespace sbx::os {
namespace {

using Clock = std::chrono::steady_clock;

// Debian's since 2013, and every other distribution's; a name on PATH would be the caller's to
// plant.
constexpr const char* kBusctl = "/usr/bin/busctl";
// The manager takes one after the other: some seconds for hundreds at once on a busy machine.
constexpr std::chrono::milliseconds kWait(30'000);
constexpr const char* kCallTimeout = "--timeout=25";  // sooner, so that busctl says why
constexpr std::chrono::milliseconds kLongestPause(32);
constexpr std::size_t kSaid = 2000;

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

std::string own_group(const std::string& mount) {
  for (const OwnGroup& own :
       own_groups(read_kernel_text("/proc/self/mountinfo"), read_kernel_text("/proc/self/cgroup")))
    if (own.version == 2 && own.mount == mount) return own.group;
  return {};
}

/// All that the process says on its standard error, and its status; killed after kWait.
SysResult<int> finish(pid_t pid, const UniqueFd& errors, std::string& said) {
  std::array<char, 512> chunk{};
  bool late = false;
  for (;;) {
    ::pollfd watched{errors.get(), POLLIN, 0};
    const int ready = ::poll(&watched, 1, static_cast<int>(kWait.count()));
    if (ready < 0 && errno == EINTR) continue;
    late = ready == 0;
    const ssize_t got = ready > 0 ? ::read(errors.get(), chunk.data(), chunk.size()) : 0;
    if (got <= 0) break;
    if (said.size() < kSaid) said.append(chunk.data(), static_cast<std::size_t>(got));
  }
  if (late) ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return std::unexpected(Errno{errno});
  if (late) return std::unexpected(Errno{ETIMEDOUT});
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

SysResult<int> run_busctl(const std::vector<std::string>& words, std::string& said) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::unexpected(Errno{errno});
  const UniqueFd errors(ends[0]);
  UniqueFd theirs(ends[1]);
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t streams;
  ::posix_spawn_file_actions_init(&streams);
  ::posix_spawn_file_actions_addopen(&streams, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&streams, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&streams, theirs.get(), STDERR_FILENO);
  pid_t pid = 0;
  const int failed = ::posix_spawn(&pid, kBusctl, &streams, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&streams);
  theirs.reset();
  if (failed != 0) return std::unexpected(Errno{failed});
  return finish(pid, errors, said);
}

std::vector<std::string> start_transient_unit(const std::string& unit) {
  return {kBusctl, "--address=unix:path=" + bus_socket(), kCallTimeout, "--quiet", "call",
          "org.freedesktop.systemd1", "/org/freedesktop/systemd1",
          "org.freedesktop.systemd1.Manager", "StartTransientUnit", "ssa(sv)a(sa(sv))",
          // name, what to do if there is one, four properties, no auxiliary units
          unit, "fail", "4", "Description", "s", "sandbox of sbx", "PIDs", "au", "1",
          std::to_string(::getpid()), "Delegate", "b", "true", "CollectMode", "s",
          "inactive-or-failed", "0"};
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
                                   std::string& said) {
  const std::string unit = name + ".scope";
  if (SBX_TRY(run_busctl(start_transient_unit(unit), said)) != 0)
    return std::unexpected(Errno{ECONNREFUSED});
  // The call answers when the job is queued; we are moved a little later. Looked for less and less
  // often: many runs at once must not take the processor from the manager that they wait for.
  std::chrono::milliseconds pause(1);
  for (const auto deadline = Clock::now() + kWait; Clock::now() < deadline;) {
    std::string group = own_group(mount);
    if (group.ends_with("/" + unit)) return group;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kLongestPause);
  }
  said = "the manager took the job, but did not move sbx into " + unit;
  return std::unexpected(Errno{ETIMEDOUT});
}

}  // namespace sbx::os
