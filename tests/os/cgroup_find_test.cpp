// Our groups are found from the texts that real hosts show: systemd on v2, containers, v1, hybrids.
#include "os/cgroup_find.hpp"

#include <doctest/doctest.h>

using namespace sbx::os;
using Names = std::vector<std::string>;

TEST_CASE("a systemd host with v2 only has one mount and one group") {
  const auto mounts = parse_cgroup_mounts(
      "22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw\n"
      "29 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 "
      "rw,nsdelegate,memory_recursiveprot\n");
  REQUIRE(mounts.size() == 1);
  CHECK(mounts[0].version == 2);
  CHECK(mounts[0].root == "/");
  CHECK(mounts[0].point == "/sys/fs/cgroup");
  CHECK(mounts[0].controllers.empty());
  const auto ours = parse_cgroup_memberships(
      "0::/user.slice/user-1000.slice/user@1000.service/app.slice/a:b.scope\n");
  REQUIRE(ours.size() == 1);
  CHECK(ours[0].version == 2);
  CHECK(group_below(mounts[0].root, ours[0].path) ==
        "/user.slice/user-1000.slice/user@1000.service/app.slice/a:b.scope");
}

TEST_CASE("a v1 host has a hierarchy for each set of controllers, and named ones without any") {
  const auto mounts = parse_cgroup_mounts(
      "30 25 0:26 / /sys/fs/cgroup/systemd rw shared:9 - cgroup cgroup rw,xattr,name=systemd\n"
      "33 25 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:12 - cgroup cgroup rw,cpu,cpuacct\n"
      "34 25 0:30 / /sys/fs/cgroup/net_cls,net_prio rw - cgroup cgroup rw,net_cls,net_prio\n"
      "35 25 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  REQUIRE(mounts.size() == 4);
  CHECK(mounts[0].controllers.empty());
  CHECK(mounts[1].controllers == Names{"cpu", "cpuacct"});
  CHECK(mounts[2].controllers == Names{"net_cls", "net_prio"});
  CHECK(mounts[3].controllers == Names{"memory"});
  const auto ours = parse_cgroup_memberships(
      "12:memory:/user.slice\n4:cpu,cpuacct:/\n3:net_cls,net_prio:/\n1:name=systemd:/user.slice\n");
  REQUIRE(ours.size() == 4);
  CHECK(ours[0].controllers == Names{"memory"});
  CHECK(ours[0].path == "/user.slice");
  CHECK(ours[1].controllers == Names{"cpu", "cpuacct"});
  CHECK(ours[3].version == 1);
  CHECK(ours[3].controllers.empty());
}

TEST_CASE("a hybrid host lists v1 hierarchies and v2 side by side") {
  const auto mounts = parse_cgroup_mounts(
      "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
      "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n");
  REQUIRE(mounts.size() == 2);
  CHECK(mounts[0].version == 1);
  CHECK(mounts[1].version == 2);
  CHECK(parse_cgroup_memberships("4:memory:/a\n0::/\n").back().version == 2);
}

TEST_CASE("a container without a cgroup namespace sees its group as the mount's root") {
  CHECK(group_below("/docker/0123abc", "/docker/0123abc") == "/");
  CHECK(group_below("/docker/0123abc", "/docker/0123abc/worker") == "/worker");
  CHECK(group_below("/docker/0123abc", "/docker/0123abcdef").empty());
  CHECK(group_below("/docker/0123abc", "/system.slice/sshd.service").empty());
}

TEST_CASE("a group above the cgroup namespace's root is no group of ours to use") {
  CHECK(group_below("/", "/") == "/");
  CHECK(group_below("/", "/..").empty());
  CHECK(group_below("/", "/../other").empty());
  CHECK(group_below("/", "/a..b/c") == "/a..b/c");
  CHECK(group_below("/..", "/../other") == "/other");  // the host's tree, mounted from above
}

TEST_CASE("mount points are unescaped, and broken lines are passed over") {
  const auto mounts = parse_cgroup_mounts(
      "35 31 0:32 /x\\040y /mnt/a\\040b\\134c rw - cgroup2 none rw\n"
      "cgroup2\n\n - \n36 31 0:33 / /z rw master:1 propagate_from:2 - cgroup none rw,pids\n"
      "37 31 0:34 / /tail\\04 rw - cgroup2 none rw");
  REQUIRE(mounts.size() == 3);
  CHECK(mounts[0].root == "/x y");
  CHECK(mounts[0].point == "/mnt/a b\\c");
  CHECK(mounts[1].point == "/z");
  CHECK(mounts[1].controllers == Names{"pids"});
  CHECK(mounts[2].point == "/tail\\04");
  CHECK(parse_cgroup_memberships("junk\n::\n4:memory\n").empty());
}

TEST_CASE("our own groups are those whose mount shows them") {
  const std::string mounts =
      "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
      "36 31 0:33 /docker/x /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n"
      "37 31 0:34 /elsewhere /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
      "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
  const auto groups = own_groups(
      mounts, "5:cpu:/docker/x\n4:memory:/a\n3:pids:/docker/x\n2:name=systemd:/\n0::/b\n");
  REQUIRE(groups.size() == 3);
  CHECK(groups[0].controllers == Names{"memory"});
  CHECK(groups[0].group == "/a");
  CHECK(groups[1].group == "/");
  CHECK(groups[2].version == 2);
  CHECK(groups[2].mount == "/sys/fs/cgroup/unified");
  CHECK(groups[2].group == "/b");
}

TEST_CASE("who is in a leaf that sbx has made is in the group that it keeps free") {
  CHECK(leaf_name("sbx-x") == "sbx-x-supervisor");
  CHECK(above_leaf("/a/b.scope/" + leaf_name("sbx-x")) == "/a/b.scope");
  CHECK(above_leaf("/" + leaf_name("sbx-x")) == "/");
  for (const char* none : {"/", "/a", "/a/sbx-x", "/a/x-supervisor", "/sbx-x-supervisor/a", ""})
    CHECK_MESSAGE(above_leaf(none).empty(), none);
  const std::string mounts =
      "35 31 0:32 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n"
      "41 31 0:38 /a /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
  const auto groups = own_groups(mounts, "4:pids:/sbx-x-supervisor\n0::/a/b/sbx-x-supervisor\n");
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].group == "/sbx-x-supervisor");  // v1 has no leaves
  CHECK_FALSE(groups[0].in_leaf);
  CHECK(groups[1].group == "/b");
  CHECK(groups[1].in_leaf);
  CHECK_FALSE(own_groups(mounts, "0::/a/b\n")[0].in_leaf);
}
