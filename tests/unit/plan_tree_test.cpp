// Mount points are made on our own file systems only.
#include <doctest/doctest.h>

#include "plan/tree.hpp"
#include "plan_testing.hpp"

using namespace sbx;                 // NOLINT(google-build-using-namespace)
using namespace sbx::plan;           // NOLINT(google-build-using-namespace)
using namespace sbx::plan::testing;  // NOLINT(google-build-using-namespace)

namespace {

struct World {
  profile::Profile profile{};
  Invocation invocation = command();
  HostFacts facts = host_of_user();
  Plan plan{};
  Builder builder{profile, invocation, facts, plan};
  Tree tree{builder};
};

}  // namespace

TEST_CASE("missing parents are made, once") {
  World world;
  REQUIRE(world.tree.make_mount_point("/a/b/c", true, "test", "").has_value());
  REQUIRE(world.tree.make_mount_point("/a/b/d", false, "test", "").has_value());
  const auto folders = steps_of<MakeDir>(world.plan);
  REQUIRE(folders.size() == 3);
  CHECK(folders[0].path == "/a");
  CHECK(folders[2].path == "/a/b/c");
  CHECK(steps_of<WriteFile>(world.plan).at(0).path == "/a/b/d");
}

TEST_CASE("below a foreign tree nothing is made, below a tmpfs of ours it is") {
  World world;
  world.tree.cover_foreign("/usr");
  REQUIRE(world.tree.make_mount_point("/usr/x", true, "test", "").has_value());
  CHECK(world.plan.steps.empty());
  CHECK(world.tree.is_foreign("/usr/x"));
  world.tree.cover_own("/usr/x");
  REQUIRE(world.tree.make_mount_point("/usr/x/y", true, "test", "").has_value());
  CHECK(steps_of<MakeDir>(world.plan).at(0).path == "/usr/x/y");
}

TEST_CASE("a mount point behind a link or a file is refused") {
  World world;
  REQUIRE(world.tree.make_symlink("/bin", "usr/bin", "test").has_value());
  CHECK_FALSE(world.tree.make_mount_point("/bin/x", true, "test", "").has_value());
  CHECK_FALSE(world.tree.make_mount_point("/bin", true, "test", "").has_value());
  REQUIRE(world.tree.make_file("/etc/passwd", "", 0444, "test", "").has_value());
  CHECK_FALSE(world.tree.make_mount_point("/etc/passwd/x", true, "test", "").has_value());
}
