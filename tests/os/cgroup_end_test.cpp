// How groups end: swept when abandoned, killed whole, gone with what they held.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "at_call.hpp"
#include "cgroup_scene.hpp"
#include "os/cgroup_remove.hpp"
#include "os/cgroup_stats.hpp"
#include "os/fd.hpp"

using namespace sbx::test;

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
  sweep(folder_of(*where));
  CHECK_FALSE(is_there(abandoned));
  CHECK(is_there(living));
  CHECK(is_there(foreign));
  rmdir(path_of(foreign).c_str());
  CHECK(sweep("/nonexistent") == 0);
}

TEST_CASE("a sweep does not look at the groups of runs that live") {
  const auto where = writable("pids");
  if (!where) return;
  const CgroupSpec spec = spec_for(*where, "lives");
  REQUIRE(mkdir(path_of(spec).c_str(), 0755) == 0);  // unlocked, as between its mkdir and its flock
  const std::string live[] = {spec.name.substr(std::string_view("sbx-").size())};
  sweep(folder_of(*where), live);
  CHECK(is_there(spec));
  sweep(folder_of(*where));
  CHECK_FALSE(is_there(spec));
}

TEST_CASE("a sweep of groups that comes late does not take what has the name by then") {
  const auto where = writable("pids");
  if (!where) return;
  const CgroupSpec spec = spec_for(*where, "made-again");
  REQUIRE(mkdir(path_of(spec).c_str(), 0755) == 0);
  AtCall late(SYS_flock, [folder = folder_of(*where)] { sweep(folder); });
  REQUIRE(rmdir(path_of(spec).c_str()) == 0);  // as another sweep does
  std::string failed;
  const auto group = Cgroup::create(spec, failed);
  REQUIRE_MESSAGE(group, failed);
  CHECK(late.go_on());
  CHECK(is_there(spec));
}

TEST_CASE("who holds a new group's lock does not keep a run from it") {
  const auto where = writable("pids");
  if (!where) return;
  const CgroupSpec spec = spec_for(*where, "held");
  AtCall maker(SYS_flock, [&spec] {
    ::alarm(20);
    std::string failed;
    if (!Cgroup::create(spec, failed)) ::_exit(1);
  });
  // As a sweep of the same user's that was stopped.
  const sbx::os::UniqueFd held(::open(path_of(spec).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  REQUIRE(::flock(held.get(), LOCK_EX | LOCK_NB) == 0);
  CHECK(maker.go_on());
  CHECK_FALSE(is_there(spec));
}

TEST_CASE("nobody else can open a run's group, and so hold its lock") {
  const auto where = writable("pids");
  if (!where) return;
  const CgroupSpec spec = spec_for(*where, "closed");
  std::string failed;
  const auto group = Cgroup::create(spec, failed);
  REQUIRE_MESSAGE(group, failed);
  struct ::stat what{};
  REQUIRE(::stat(path_of(spec).c_str(), &what) == 0);
  CHECK((what.st_mode & 07777U) == 0711);  // its files can be read by name
}

TEST_CASE("a sweep leaves a group that still holds a process") {
  const auto where = writable("pids");
  if (!where) return;
  const CgroupSpec spec = spec_for(*where, "populated");
  REQUIRE(mkdir(path_of(spec).c_str(), 0755) == 0);
  WaitingChild child;
  std::ofstream(path_of(spec) + "/cgroup.procs") << child.pid() << std::flush;
  sweep(folder_of(*where));
  CHECK(is_there(spec));
  kill(child.pid(), SIGKILL);
  CHECK(child.wait() == SIGKILL);
  CHECK(rmdir(path_of(spec).c_str()) == 0);
}

TEST_CASE("killing the whole group is what v2 does and v1 cannot") {
  for (const sbx::CgroupHome& found : homes({"memory", "pids"})) {
    if (!found.problem.empty()) continue;
    std::string failed;
    const auto group = Cgroup::create(spec_for(found, "kill"), failed);
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
  WaitingChild child;
  {
    const auto group = Cgroup::create(spec, failed);
    REQUIRE_MESSAGE(group, failed);
    CHECK(first_line(path_of(spec) + "/cgroup.max.depth") == "0");
    CHECK(join(*group, child.pid()));
    CHECK(group->kill());
  }
  CHECK_FALSE(is_there(spec));
  CHECK(child.wait() == SIGKILL);
}
