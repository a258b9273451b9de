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

TEST_CASE("above a mount in a lasting tree each folder is held, once, and before it") {
  World world;
  world.tree.cover_foreign("/w", true);
  REQUIRE(world.tree.make_mount_point("/w/a/b/c", true, "test", "").has_value());
  world.tree.cover_foreign("/w/a/b/c");
  world.tree.hold_above("/w/a/x", "");
  world.tree.hold_above("/w/x", "");
  world.tree.hold_above("/w/a/b/c/d/e", "");  // in what is not lasting
  world.tree.hold("/w/a", false, "test", "");
  const auto held = steps_of<ProtectPath>(world.plan);
  REQUIRE(held.size() == 2);
  CHECK(held[0].path == "/w/a");
  CHECK(held[1].path == "/w/a/b");
  CHECK(held[0].held);
  CHECK(held[0].optional);
  CHECK(world.tree.lasting_at("/") == std::vector<std::string>{"/w", "/w/a", "/w/a/b"});
  CHECK(world.tree.lasting_at("/w/x/y") == std::vector<std::string>{"/w"});
  CHECK(world.tree.lasting_at("/v").empty());
}

TEST_CASE("in a tree that goes with the run, or cannot be written to, nothing is held") {
  World world;
  world.tree.cover_foreign("/ro");
  world.tree.cover_own("/tmp");
  world.tree.hold_above("/ro/a/b", "");
  world.tree.hold_above("/tmp/a/b", "");
  CHECK(world.plan.steps.empty());
}

TEST_CASE("masks of a writable workspace are made when all above them is held") {
  World world;
  world.profile.workspace.mode = profile::WorkspaceMode::rw;
  world.profile.workspace.at = "/w//x/";
  world.profile.mask = {"/w/x/a", "/w/x/a/b/key", "/w/x/**/*.pem", "/usr/**/*.pem"};
  const auto plan = build(world.profile, world.invocation, world.facts);
  REQUIRE(plan.has_value());
  CHECK(index_of(*plan, "hold /w/x/a in its place") <
        index_of(*plan, "hold /w/x/a/b in its place"));
  CHECK(index_of(*plan, "hold /w/x/a/b in its place") < index_of(*plan, "hide /w/x/a"));
  CHECK(index_of(*plan, "'/w/x/**/*.pem', and hold the folders above") != std::string::npos);
  CHECK(steps_of<MaskGlob>(*plan).at(1).held.empty());
  for (const auto mode : {profile::WorkspaceMode::ro, profile::WorkspaceMode::overlay}) {
    world.profile.workspace.mode = mode;
    const auto other = build(world.profile, world.invocation, world.facts);
    REQUIRE(other.has_value());
    CHECK(index_of(*other, "hold ") == std::string::npos);
  }
}

TEST_CASE("a kept overlay that may be a copy lasts as well") {
  World world;
  world.profile.workspace.mode = profile::WorkspaceMode::overlay;
  world.profile.workspace.keep = profile::Keep::diff;
  world.profile.mask = {"/workspace/a/key"};
  world.profile.degrade = {"overlay"};
  const auto plan = build(world.profile, world.invocation, world.facts);
  REQUIRE(plan.has_value());
  CHECK(index_of(*plan, "hold /workspace/a in its place") != std::string::npos);
}
