// A group that holds its supervisor hands nothing down, whoever of its children asks for it.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

#include "cgroup_scene.hpp"
#include "os/cgroup_file.hpp"
#include "os/cgroup_place.hpp"

using namespace sbx::test;

namespace {

/// What `body` gives in a child, below 256.
int in_child(const std::function<int()>& body) {
  const pid_t pid = fork();
  if (pid == 0) _exit(body());
  int status = 0;
  return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// A group of the test's own with a controller that it could hand down; nobody is in it.
std::optional<sbx::CgroupHome> delegated() {
  auto home = unified();
  if (!home) return std::nullopt;
  const std::string above = cgroup_folder(home->mount, home->group);
  const auto there = words_of(read_kernel_text(above + "/cgroup.subtree_control"), ' ');
  if (there.empty()) {
    not_tried("needs cgroup-v2: no controller of it is handed down here");
    return std::nullopt;
  }
  home->controllers = {there.front()};
  home->way = sbx::CgroupWay::leaf;
  home->group =
      (home->group == "/" ? "" : home->group) + "/sbx-test-room-" + std::to_string(getpid());
  REQUIRE(mkdir(cgroup_folder(home->mount, home->group).c_str(), 0755) == 0);
  return home;
}

/// As the process of a job does: its errno.
int make_group(const sbx::CgroupHome& home) {
  std::string said;
  const auto made = Cgroup::create(spec_for(home, "job"), said);
  return made ? 0 : made.error().value;
}

}  // namespace

TEST_CASE("once its supervisor has made room, the children's groups are made, one after another") {
  const auto home = delegated();
  if (!home) return;
  const std::string folder = cgroup_folder(home->mount, home->group);
  const std::string stale = folder + "/" + leaf_name("sbx-test-stale");
  REQUIRE(mkdir(stale.c_str(), 0755) == 0);
  const int seen = in_child([&] {
    const UniqueFd dir(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!write_control(dir.get(), "cgroup.procs", "0")) return 1;
    // The control: each child would go out of the way alone, and its parent stays.
    if (in_child([&] { return make_group(*home); }) != EBUSY) return 2;
    std::string at;
    if (!make_room(*home, "sbx-test-room", at)) return 3;
    for (int i = 0; i < 3; ++i)
      if (in_child([&] { return make_group(*home); }) != 0) return 4;
    // Looked for again by a process in the leaf, the group is still the one that is ours.
    return in_child([&] {
      for (const auto& own : own_groups(read_kernel_text("/proc/self/mountinfo"),
                                        read_kernel_text("/proc/self/cgroup")))
        if (own.in_leaf && own.group == home->group) return 0;
      return 5;
    });
  });
  CHECK(seen == 0);
  CHECK(access(stale.c_str(), F_OK) != 0);
  // The leaf outlives who was in it, until somebody sweeps.
  const std::string leaf = folder + "/" + leaf_name("sbx-test-room");
  CHECK(access(leaf.c_str(), F_OK) == 0);
  for (int i = 0; i < 100 && access(leaf.c_str(), F_OK) == 0; ++i) {
    sweep(folder);
    usleep(10'000);
  }
  CHECK(rmdir(folder.c_str()) == 0);
}
