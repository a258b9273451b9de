// Real groups: limits bind, and nothing stays.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "cgroup_scene.hpp"
#include "os/cgroup_remove.hpp"
#include "os/cgroup_stats.hpp"

using namespace sbx::test;

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
  WaitingChild child;
  {
    const auto group = Cgroup::create(spec, failed);
    REQUIRE(group);
    CHECK(join(*group, child.pid()));
    CHECK(first_line(path_of(spec) + "/cgroup.procs") == std::to_string(child.pid()));
    CHECK(read_pids_stat(group->fd(), group->version()).limit_hits == 0);
    kill(child.pid(),
         SIGKILL);  // not waited for: the destructor meets a group that is just emptying
  }
  CHECK_FALSE(is_there(spec));
  CHECK(child.wait() == SIGKILL);
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
