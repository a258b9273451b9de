// What a group's files say of its memory.
#include "os/cgroup_stats.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>

#include "../support/temp_tree.hpp"
#include "os/fd.hpp"

using namespace sbx;
using test::TempTree;

namespace {

os::MemoryStat stat_of(const TempTree& tree, int version) {
  const os::UniqueFd folder(::open(tree.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return os::read_memory_stat(folder.get(), version);
}

}  // namespace

TEST_CASE("whether the group's own limit was in the way is told apart from the kills") {
  const TempTree tree;
  tree.file("memory.events", "low 0\nhigh 3\nmax 0\noom 0\noom_kill 2\noom_group_kill 0\n");
  CHECK(stat_of(tree, 2).oom_kills == 2);
  CHECK(stat_of(tree, 2).limit_reached == false);
  tree.file("memory.events", "low 0\nhigh 0\nmax 9\noom 4\noom_kill 2\n");
  CHECK(stat_of(tree, 2).limit_reached == true);
}

TEST_CASE("on v1 who has not come to its limit was killed for another's") {
  const TempTree tree;
  CHECK_FALSE(stat_of(tree, 1).limit_reached.has_value());
  tree.file("memory.max_usage_in_bytes", "67108864\n");
  tree.file("memory.limit_in_bytes", "9223372036854771712\n");
  tree.file("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n");
  CHECK_FALSE(stat_of(tree, 1).limit_reached.has_value());
  tree.file("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
  CHECK(stat_of(tree, 1).limit_reached == false);
  tree.file("memory.limit_in_bytes", "67112960\n");
  CHECK(stat_of(tree, 1).limit_reached == true);
  tree.file("memory.limit_in_bytes", "134217728\n");
  tree.file("memory.memsw.max_usage_in_bytes", "201326592\n");
  tree.file("memory.memsw.limit_in_bytes", "201326592\n");
  CHECK(stat_of(tree, 1).limit_reached == true);
}
