// Real groups, made below our own: limits bind, the lock tells life from death, nothing stays. A
// hierarchy that this host or user cannot write is passed over, and the test says so.
#include "os/cgroup.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "os/cgroup_find.hpp"
#include "os/cgroup_remove.hpp"
#include "os/cgroup_stats.hpp"
#include "os/probe.hpp"

using namespace sbx::os;

namespace {

std::optional<sbx::CgroupController> writable(const std::string& name) {
  for (sbx::CgroupController& found : find_controllers()) {
    if (found.name == name && found.writable) return std::move(found);
  }
  MESSAGE("not tried: no writable cgroup controller " << name << " here");
  return std::nullopt;
}

std::string text_of(const char* file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Our v2 group. A hybrid host has v2 without controllers, so find_controllers() does not name it.
std::optional<sbx::CgroupController> unified() {
  for (const CgroupMount& mount : parse_cgroup_mounts(text_of("/proc/self/mountinfo"))) {
    for (const CgroupMembership& ours : parse_cgroup_memberships(text_of("/proc/self/cgroup"))) {
      if (mount.version != 2 || ours.version != 2) continue;
      const std::string group = group_below(mount.root, ours.path);
      const std::string folder = cgroup_folder(mount.point, group);
      if (!group.empty() && access(folder.c_str(), W_OK) == 0)
        return sbx::CgroupController{{}, 2, mount.point, group, true};
    }
  }
  MESSAGE("not tried: no writable cgroup v2 group here");
  return std::nullopt;
}

CgroupSpec spec_for(const sbx::CgroupController& where, const std::string& name) {
  const std::string group = "sbx-test-" + std::to_string(getpid()) + "-" + name;
  return {where.version, {where.name}, where.mount, where.group, group, {}};
}

std::string path_of(const CgroupSpec& spec) {
  return cgroup_folder(spec.mount, spec.parent) + "/" + spec.name;
}

bool is_there(const CgroupSpec& spec) { return access(path_of(spec).c_str(), F_OK) == 0; }

std::string first_line(const std::string& file) {
  std::string line;
  std::getline(std::ifstream(file), line);
  return line;
}

/// Moves `pid` into the group, on v1 as init moves itself.
bool join(const Cgroup& group, pid_t pid) {
  UniqueFd file(openat(group.fd(), "cgroup.procs", O_WRONLY | O_CLOEXEC));
  if (group.version() == 1) {
    auto tasks = group.open_tasks();
    if (!tasks) return false;
    file = std::move(*tasks);
  }
  const std::string text = std::to_string(pid);
  return write(file.get(), text.data(), text.size()) > 0;
}

}  // namespace

TEST_CASE("a group has its settings while it lives and goes with its object") {
  const auto where = writable("pids");
  if (!where) return;
  CgroupSpec spec = spec_for(*where, "plain");
  spec.settings = {{"pids.max", "7"}};
  std::string failed;
  {
    const auto group = Cgroup::create(spec, failed);
    REQUIRE(group);
    CHECK(failed.empty());
    CHECK(first_line(path_of(spec) + "/pids.max") == "7");
    CHECK(group->version() == where->version);
    CHECK(group->has("pids"));
    CHECK_FALSE(group->has("memory"));
    CHECK((fcntl(group->fd(), F_GETFD) & FD_CLOEXEC) != 0);
  }
  CHECK_FALSE(is_there(spec));
}

TEST_CASE("a value that the kernel refuses comes back with its file, and the group is gone") {
  const auto where = writable("pids");
  if (!where) return;
  CgroupSpec spec = spec_for(*where, "refused");
  std::string failed;
  for (const auto& [file, value, error] :
       {std::tuple{"pids.max", "many", EINVAL}, std::tuple{"pids.nothing", "1", ENOENT},
        std::tuple{"pids.max", "", EINVAL}, std::tuple{"../pids.max", "1", EINVAL}}) {
    spec.settings = {{"pids.max", "5"}, {file, value}};
    const auto group = Cgroup::create(spec, failed);
    REQUIRE_FALSE(group);
    CHECK(group.error().value == error);
    CHECK(failed == path_of(spec) + "/" + file);
    CHECK_FALSE(is_there(spec));
  }
}

TEST_CASE("a name that is taken is EEXIST, and one that is not ours is refused") {
  const auto where = writable("pids");
  if (!where) return;
  const CgroupSpec spec = spec_for(*where, "taken");
  std::string failed;
  const auto first = Cgroup::create(spec, failed);
  REQUIRE(first);
  const auto second = Cgroup::create(spec, failed);
  REQUIRE_FALSE(second);
  CHECK(second.error().value == EEXIST);
  CHECK(is_there(spec));
  CgroupSpec other = spec;
  for (const char* name : {"user.slice", "sbx-/../x", ""}) {
    other.name = name;
    CHECK_FALSE(Cgroup::create(other, failed));
  }
}

TEST_CASE("a process that is moved in counts, and the group outlives neither it nor us") {
  const auto where = writable("pids");
  if (!where) return;
  CgroupSpec spec = spec_for(*where, "child");
  spec.settings = {{"pids.max", "5"}};
  std::string failed;
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  {
    const auto group = Cgroup::create(spec, failed);
    REQUIRE(group);
    CHECK(join(*group, child));
    CHECK(first_line(path_of(spec) + "/cgroup.procs") == std::to_string(child));
    CHECK(read_pids_stat(group->fd(), group->version()).limit_hits == 0);
    kill(child, SIGKILL);  // not waited for: the destructor meets a group that is just emptying
  }
  CHECK_FALSE(is_there(spec));
  CHECK(waitpid(child, nullptr, 0) == child);
}

TEST_CASE("a v1 cpuset takes processes because it inherits what was not set") {
  const auto where = writable("cpuset");
  if (!where) return;
  CgroupSpec spec = spec_for(*where, "cpuset");
  spec.settings = {{"cpuset.cpus", "0"}};
  std::string failed;
  const auto group = Cgroup::create(spec, failed);
  REQUIRE_MESSAGE(group, failed);
  CHECK(first_line(path_of(spec) + "/cpuset.cpus") == "0");
  const pid_t child = fork();
  if (child == 0) _exit(join(*group, getpid()) ? 0 : 1);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("memory and swap are limited, and an out-of-memory kill is counted") {
  const auto where = writable("memory");
  if (!where) return;
  CgroupSpec spec = spec_for(*where, "memory");
  const bool swap = swap_can_be_limited({*where});
  if (where->version == 1) {
    spec.settings = {{"memory.limit_in_bytes", "16777216"}};
    if (swap) spec.settings.push_back({"memory.memsw.limit_in_bytes", "16777216"});
  } else {
    spec.settings = {{"memory.max", "16777216"}};
    if (swap) spec.settings.push_back({"memory.swap.max", "0"});
  }
  std::string failed;
  const auto group = Cgroup::create(spec, failed);
  REQUIRE_MESSAGE(group, failed);
  CHECK(read_memory_stat(group->fd(), group->version()).oom_kills == 0);
  const pid_t child = fork();
  if (child == 0) {
    if (!join(*group, getpid())) _exit(1);
    for (int i = 0; i < 64; ++i) {
      constexpr std::size_t kMiB = 1 << 20;
      auto* const block = static_cast<volatile char*>(malloc(kMiB));
      for (std::size_t at = 0; at < kMiB; at += 4096) block[at] = 1;
    }
    _exit(0);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  if (!swap) return;  // without that limit the host's swap takes the rest
  CHECK(WIFSIGNALED(status));
  const MemoryStat stat = read_memory_stat(group->fd(), group->version());
  CHECK(stat.oom_kills == 1);
  CHECK(stat.peak_bytes.value_or(0) > 8'000'000);
}

TEST_CASE("a sweep takes abandoned groups and leaves living and foreign ones") {
  const auto where = writable("pids");
  if (!where) return;
  const CgroupSpec abandoned = spec_for(*where, "abandoned");
  const CgroupSpec living = spec_for(*where, "living");
  CgroupSpec foreign = spec_for(*where, "foreign");
  foreign.name = "other-" + foreign.name;
  for (const CgroupSpec& spec : {abandoned, foreign})
    REQUIRE(mkdir(path_of(spec).c_str(), 0755) == 0);
  std::string failed;
  const auto group = Cgroup::create(living, failed);
  REQUIRE(group);
  sweep_cgroups(where->mount, where->group);
  CHECK_FALSE(is_there(abandoned));
  CHECK(is_there(living));
  CHECK(is_there(foreign));
  rmdir(path_of(foreign).c_str());
  CHECK(sweep_cgroups("/nonexistent", "/") == 0);
}

TEST_CASE("a sweep leaves a group that still holds a process") {
  const auto where = writable("pids");
  if (!where) return;
  const CgroupSpec spec = spec_for(*where, "populated");
  REQUIRE(mkdir(path_of(spec).c_str(), 0755) == 0);
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  std::ofstream(path_of(spec) + "/cgroup.procs") << child << std::flush;
  sweep_cgroups(where->mount, where->group);
  CHECK(is_there(spec));
  kill(child, SIGKILL);
  CHECK(waitpid(child, nullptr, 0) == child);
  CHECK(rmdir(path_of(spec).c_str()) == 0);
}

TEST_CASE("moving hands the group over once") {
  const auto where = writable("pids");
  if (!where) return;
  std::string failed;
  const CgroupSpec one = spec_for(*where, "one");
  const CgroupSpec two = spec_for(*where, "two");
  auto first = Cgroup::create(one, failed);
  auto second = Cgroup::create(two, failed);
  REQUIRE(first);
  REQUIRE(second);
  Cgroup moved(std::move(*first));
  CHECK(first->fd() == -1);
  CHECK(is_there(one));
  moved = std::move(*second);
  CHECK_FALSE(is_there(one));
  CHECK(is_there(two));
}

TEST_CASE("killing the whole group is what v2 does and v1 cannot") {
  for (const sbx::CgroupController& found : find_controllers()) {
    if (!found.writable) continue;
    std::string failed;
    const auto group = Cgroup::create(spec_for(found, "kill-" + found.name), failed);
    REQUIRE_MESSAGE(group, failed);
    if (found.version == 1) CHECK(group->kill().error().value == ENOSYS);
    if (found.version == 2) CHECK(group->kill());
  }
}

TEST_CASE("a v2 group needs no controller to hold and kill processes") {
  const auto where = unified();
  if (!where) return;
  CgroupSpec spec = spec_for(*where, "v2");
  spec.controllers.clear();
  spec.settings = {{"cgroup.max.depth", "0"}};
  std::string failed;
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  {
    const auto group = Cgroup::create(spec, failed);
    REQUIRE_MESSAGE(group, failed);
    CHECK(first_line(path_of(spec) + "/cgroup.max.depth") == "0");
    CHECK(join(*group, child));
    CHECK(group->kill());
  }
  CHECK_FALSE(is_there(spec));
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WTERMSIG(status) == SIGKILL);
}
