// What sbx takes for granted of the kernel's mounts and paths, one fact a test: a kernel that
// behaves otherwise fails here first. Everything irreversible happens in a child.
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <sched.h>
#include <sys/stat.h>

#include "../support/not_tried.hpp"
#include "../support/temp_tree.hpp"
#include "kernel_testing.hpp"
#include "os/idmap.hpp"
#include "os/mount.hpp"

using namespace sbx::test;  // NOLINT(google-build-using-namespace)
using sbx::os::UniqueFd;

TEST_CASE("openat2 below a root follows no link out of it, nor any when told so") {
  const TempTree tree;
  tree.file("inside", "inside\n");
  tree.link("out", "/etc/passwd");
  tree.link("up", "../../../../../../etc/passwd");
  const UniqueFd root(::open(tree.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const auto open_below = [&](const char* path, std::uint64_t resolve) {
    struct ::open_how how{};
    how.flags = O_PATH | O_CLOEXEC;
    how.resolve = resolve;
    const long fd = ::syscall(SYS_openat2, root.get(), path, &how, sizeof how);
    if (fd >= 0) ::close(static_cast<int>(fd));
    return fd >= 0 ? 0 : errno;
  };
  CHECK(open_below("/inside", RESOLVE_IN_ROOT) == 0);
  CHECK(open_below("../../../inside", RESOLVE_IN_ROOT) == 0);
  CHECK(open_below("out", RESOLVE_IN_ROOT) == ENOENT);  // /etc/passwd below our root
  CHECK(open_below("up", RESOLVE_IN_ROOT) == ENOENT);
  CHECK(open_below("out", RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS) == ELOOP);
  CHECK(open_below("../etc/passwd", RESOLVE_BENEATH) == EXDEV);
}

TEST_CASE("mount attributes set recursively on a detached tree hold in a child user namespace") {
  const TempTree tree;
  tree.file("file", "");
  CHECK(in_child_as_root(
            [&] {
              const auto source = sbx::os::open_path_strict(tree.path().c_str());
              expect(source.has_value());
              const auto copy = sbx::os::clone_tree(source->get(), true);
              expect(copy.has_value());
              expect(
                  sbx::os::restrict_mount(copy->get(), MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID, true)
                      .has_value());
              expect(sbx::os::attach_tree(copy->get(), source->get(), "").has_value());
              expect(::open((tree.path() + "/file").c_str(), O_WRONLY) < 0 && errno == EROFS);
              // And a second user namespace below cannot take it off again.
              expect(::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0);
              struct ::mount_attr clear{};
              clear.attr_clr = MOUNT_ATTR_RDONLY;
              expect(::syscall(SYS_mount_setattr, AT_FDCWD, tree.path().c_str(), 0, &clear,
                               sizeof clear) != 0 &&
                     errno == EPERM);
            },
            CLONE_NEWNS) == kHolds);
}

TEST_CASE("a detached id-mapped tree can be attached in a child user namespace") {
  if (!sbx::test::is_root()) return;
  constexpr unsigned kHostId = 1'900'000'000;
  const TempTree tree;
  tree.file("file", "");
  REQUIRE(::chmod(tree.path().c_str(), 0755) == 0);
  const auto source = sbx::os::open_path_strict(tree.path().c_str());
  REQUIRE(source.has_value());
  const auto copy = sbx::os::clone_tree(source->get(), true);
  REQUIRE(copy.has_value());
  sbx::os::UserNamespaceMaker maker;
  const auto space = maker.make({0, 0, kHostId, kHostId});
  REQUIRE(space.has_value());
  const auto mapped = sbx::os::idmap_tree(copy->get(), space->get(), true);
  if (!mapped && mapped.error().value == EINVAL) {
    sbx::test::not_tried("the file system of the temporary folder (TMPDIR) cannot be id-mapped");
    return;
  }
  REQUIRE(mapped.has_value());
  int maps[2];
  REQUIRE(::pipe2(maps, O_CLOEXEC) == 0);
  struct ::clone_args args{};
  args.flags = CLONE_NEWUSER | CLONE_NEWNS;
  args.exit_signal = SIGCHLD;
  const long pid = ::syscall(SYS_clone3, &args, sizeof args);
  REQUIRE(pid >= 0);
  if (pid == 0) {
    char byte = 0;
    expect(::read(maps[0], &byte, 1) == 1);
    expect(::syscall(SYS_setresgid, 1000, 1000, 1000) == 0);
    expect(::syscall(SYS_setresuid, 1000, 1000, 1000) == 0);
    private_mounts();
    expect(::mount("t", "/mnt", "tmpfs", 0, nullptr) == 0);
    const int target = ::open("/mnt", O_PATH | O_DIRECTORY | O_CLOEXEC);
    expect(sbx::os::attach_tree(copy->get(), target, "").has_value());
    struct ::stat what{};
    expect(::stat("/mnt/file", &what) == 0 && what.st_uid == 1000 && what.st_gid == 1000);
    expect(::open("/mnt/made", O_WRONLY | O_CREAT | O_CLOEXEC, 0644) >= 0);
    ::_exit(kHolds);
  }
  CHECK(sbx::os::write_id_maps(static_cast<pid_t>(pid), {1000, 1000, kHostId, kHostId}, false)
            .has_value());
  CHECK(::write(maps[1], "x", 1) == 1);
  CHECK(wait_status(static_cast<pid_t>(pid)) == kHolds);
  struct ::stat made{};
  CHECK(::stat((tree.path() + "/made").c_str(), &made) == 0);
  CHECK(made.st_uid == 0);  // the folder's owner, not the run's id
  ::close(maps[0]);
  ::close(maps[1]);
}

TEST_CASE("overlayfs works in a user namespace with userxattr, and its changes stay above") {
  CHECK(in_child_as_root(
            [&] {
              expect(::mount("t", "/tmp", "tmpfs", 0, nullptr) == 0);
              for (const char* folder : {"/tmp/l", "/tmp/u", "/tmp/w", "/tmp/m"})
                expect(::mkdir(folder, 0755) == 0);
              expect(::close(::open("/tmp/l/file", O_WRONLY | O_CREAT, 0644)) == 0);
              expect(::mount("o", "/tmp/m", "overlay", 0,
                             "lowerdir=/tmp/l,upperdir=/tmp/u,workdir=/tmp/w,userxattr") == 0);
              expect(::unlink("/tmp/m/file") == 0);
              expect(::access("/tmp/m/file", F_OK) != 0 && ::access("/tmp/l/file", F_OK) == 0);
            },
            CLONE_NEWNS) == kHolds);
}

TEST_CASE("a fresh /proc is refused where a part of the visible one is covered") {
  CHECK(in_child_as_root(
            [&] {
              expect(::mount("t", "/proc/irq", "tmpfs", 0, nullptr) == 0);
              const pid_t child = ::fork();
              if (child == 0) {
                expect(::unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID) == 0);
                expect(in_child([] {
                         expect(::mount("p", "/mnt", "proc", 0, nullptr) != 0 && errno == EPERM);
                       }) == kHolds);
                ::_exit(kHolds);
              }
              expect(wait_status(child) == kHolds);
            },
            CLONE_NEWNS) == kHolds);
}

TEST_CASE("pivot_root moves every process that stands in the old root, and no other folder's") {
  CHECK(in_child_as_root(
            [&] {
              const auto root = sbx::os::new_filesystem("tmpfs", {}, 0);
              expect(root.has_value());
              struct ::stat fresh{};
              expect(::fstat(root->get(), &fresh) == 0);
              const auto old = sbx::os::open_path_strict("/");
              expect(old.has_value() && sbx::os::attach_tree(root->get(), old->get(), ""));
              expect(::chdir("/proc") == 0);  // of the host's tree
              int moved[2];
              expect(::pipe2(moved, O_CLOEXEC) == 0);
              const pid_t sibling = ::fork();
              expect(sibling >= 0);
              if (sibling == 0) {
                char byte = 0;
                expect(::read(moved[0], &byte, 1) == 1);
                struct ::stat now{};
                expect(::stat("/", &now) == 0 && now.st_dev == fresh.st_dev);
                expect(::stat(".", &now) == 0 && now.st_dev != fresh.st_dev);
                ::_exit(kHolds);
              }
              expect(sbx::os::pivot_into(root->get()).has_value());
              expect(::write(moved[1], "x", 1) == 1);
              expect(wait_status(sibling) == kHolds);
            },
            CLONE_NEWNS) == kHolds);
}
