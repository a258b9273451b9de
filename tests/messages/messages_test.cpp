// What sbx says when a step of a start fails: on a host where nothing is known to be in the way
// (steps.txt), and where something is (hosts.txt). Every message is at most six lines and ends with
// something to try. SBX_UPDATE_GOLDEN=1 writes the texts anew.
#include <doctest/doctest.h>

#include <array>
#include <cerrno>
#include <string>
#include <vector>

#include "../golden/golden.hpp"
#include "../unit/plan_testing.hpp"
#include "base/surroundings.hpp"
#include "diagnose/causes.hpp"
#include "plan/hints.hpp"

namespace {

using namespace sbx;
using namespace sbx::plan;

const std::filesystem::path kFolder = SBX_MESSAGES;

struct Case {
  Phase phase;
  Action action;
  int error;
  const char* detail = "";
};

/// What somebody's host may well answer to each step.
std::vector<Case> cases() {
  const MakeCgroup group{.version = 2,
                         .controllers = {"memory", "pids"},
                         .homes = {{.version = 2, .mount = "/sys/fs/cgroup", .group = "/a"}},
                         .name = "sbx-1",
                         .settings = {{"memory.max", "536870912"}}};
  constexpr std::uint64_t kAll = 0x7e020000;
  return {
      {Phase::host, ReserveHostId{1879048192, 65536}, EAGAIN},
      {Phase::host, ReserveHostId{1879048192, 65536}, EROFS},
      {Phase::host, group, EACCES, "cgroup.subtree_control"},
      {Phase::host, group, ERANGE, "memory.max"},
      {Phase::clone, CloneNamespaces{kAll}, EPERM},
      {Phase::clone, CloneNamespaces{kAll}, ENOSPC},
      {Phase::clone, CloneNamespaces{kAll}, ENOSYS},
      {Phase::clone, CloneNamespaces{kAll}, EAGAIN},
      {Phase::attend, WriteIdMaps{1000, 1000, false}, EPERM},
      {Phase::attend, DetachTree{"/work", true, true, 5, 5}, EINVAL},
      {Phase::attend, DetachTree{"/work"}, ELOOP},
      {Phase::attend, DetachTree{"/work"}, EACCES},
      {Phase::init, SetTimeOffsets{-3'600'000, {}}, ERANGE},
      {Phase::init, ForbidNamespaces{}, ENOENT},
      {Phase::init, MountRoot{64 << 20}, EPERM},
      {Phase::init, MakeDir{"/data"}, EACCES},
      {Phase::init, WriteFile{"/etc/app.ini", "x"}, ENOSPC},
      {Phase::init, BindTree{"/usr", "/usr", true, {}}, EINVAL},
      {Phase::init, MountTmpfs{"/tmp", 1 << 20, 10, 0755, {}}, ENOSPC},
      {Phase::init, MountOverlay{"/.sbx/workspace", "/workspace", 1 << 20, {}}, EINVAL},
      {Phase::init, BindDevice{"/dev/null", "/dev/null"}, ENOENT},
      {Phase::init, MountQueues{"/dev/mqueue"}, ENODEV},
      {Phase::init, MountProc{"/proc"}, EPERM},
      {Phase::init, MountDevpts{"/dev/pts"}, EPERM},
      {Phase::init, MaskGlob{"/workspace/**/*.pem", "/workspace"}, E2BIG},
      {Phase::init, MaskPath{"/workspace/.env"}, ELOOP},
      {Phase::init, ProtectPath{"/workspace/.git/hooks", false, false}, ENOENT},
      {Phase::init, PivotRoot{}, EINVAL},
      {Phase::init, ForkPayload{}, EAGAIN},
      {Phase::payload, NewNetwork{}, ENOSPC},
      {Phase::payload, JoinCgroups{}, EACCES},
      {Phase::payload, OpenPty{}, EACCES},
      {Phase::payload, SetRlimit{"nofile", 1 << 20}, EPERM},
      {Phase::payload, ChangeDir{"/workspace/sub"}, ENOENT},
      {Phase::payload, ChangeDir{"/workspace/file"}, ENOTDIR},
      {Phase::payload, ApplyLandlock{7, {{"/workspace", true, false}}, true}, ENOENT},
      {Phase::payload, CloseDescriptors{}, ENOSYS},
      {Phase::payload, InstallSeccomp{}, EINVAL},
      {Phase::payload, PlaceStdio{}, EMFILE},
      {Phase::guard, DropCapabilities{{}}, EPERM},
  };
}

std::string message(const Case& one, const Surroundings& around) {
  Plan plan;
  plan.steps.push_back({.phase = one.phase, .action = one.action});
  Error error = step_error(plan, 0, one.error, one.detail);
  diagnose::add_cause(error, around);
  std::string text;
  const std::string said = error.to_string();
  const auto lines = split(said, '\n');
  CHECK_MESSAGE(lines.size() <= 6, said);
  CHECK_MESSAGE(lines.size() >= 2, "nothing to try: ", said);
  for (const std::string_view line : lines) text += "sbx: " + std::string(line) + "\n";
  return text + "\n";
}

Surroundings quiet_host() {
  Surroundings around;
  around.euid = around.egid = 1000;
  around.kernel = "6.18.0";
  around.proc = true;
  around.lsm = "capability,landlock,yama,apparmor";
  around.landlock_abi = 7;
  around.label = "unconfined";
  around.run_id = 1879048192;
  around.uids = around.gids = {{0, 0xffffffff}};
  around.settings = {{"user.max_user_namespaces", 63000}, {"user.max_net_namespaces", 63000}};
  around.namespaces = {"user", "mnt", "pid", "ipc", "uts", "net", "cgroup", "time"};
  around.processes = 100;
  around.files = 1024;
  return around;
}

struct Scene {
  const char* name;
  void (*change)(Surroundings&);
  Case met;
};

const CloneNamespaces kClone{0x7e020000};
const std::array kScenes{
    Scene{"Debian's switch is off",
          [](Surroundings& s) { s.settings["kernel.unprivileged_userns_clone"] = 0; },
          {Phase::clone, kClone, EPERM}},
    Scene{"Ubuntu 23.10: AppArmor refuses the namespace",
          [](Surroundings& s) { s.settings["kernel.apparmor_restrict_unprivileged_userns"] = 1; },
          {Phase::clone, kClone, EACCES}},
    Scene{"Ubuntu 24.04: AppArmor gives a namespace without rights",
          [](Surroundings& s) { s.settings["kernel.apparmor_restrict_unprivileged_userns"] = 1; },
          {Phase::init, EmptyBoundingSet{}, EPERM}},
    Scene{"Docker on Ubuntu 24.04, without its filter",
          [](Surroundings& s) {
            s.settings["kernel.apparmor_restrict_unprivileged_userns"] = 1;
            s.label = "docker-default (enforce)";
            s.container = "docker";
          },
          {Phase::init, MountRoot{64 << 20}, EACCES}},
    Scene{"a read-only /proc",
          [](Surroundings& s) { s.container = "bubblewrap"; },
          {Phase::attend, WriteIdMaps{1000, 1000, false}, EROFS}},
    Scene{"/proc of another pid namespace",
          [](Surroundings& s) { s.proc = false; },
          {Phase::attend, WriteIdMaps{1000, 1000, false}, EACCES}},
    Scene{"ids that do not exist",
          [](Surroundings& s) { s.uids = s.gids = {}; },
          {Phase::clone, kClone, EPERM}},
    Scene{"no user namespaces at all",
          [](Surroundings& s) { s.settings["user.max_user_namespaces"] = 0; },
          {Phase::clone, kClone, ENOSPC}},
    Scene{"no network namespaces",
          [](Surroundings& s) { s.settings["user.max_net_namespaces"] = 0; },
          {Phase::payload, NewNetwork{}, ENOSPC}},
    Scene{"a kernel without user namespaces",
          [](Surroundings& s) { s.namespaces = {"mnt", "pid", "ipc", "uts", "net"}; },
          {Phase::clone, kClone, EINVAL}},
    Scene{"Docker's filter",
          [](Surroundings& s) {
            s.filtered = true;
            s.container = "docker";
            s.refused = {
                {"clone3", ENOSYS}, {"clone", EPERM}, {"unshare", EPERM}, {"setns", EPERM}};
          },
          {Phase::clone, kClone, ENOSYS}},
    Scene{"Kubernetes, unfiltered: masked /proc",
          [](Surroundings& s) {
            s.container = "kubernetes";
            s.masked = {"/proc/acpi", "/proc/kcore", "/proc/keys", "/proc/scsi"};
          },
          {Phase::init, MountProc{"/proc"}, EPERM}},
    Scene{"a filter that kills",
          [](Surroundings& s) {
            s.filtered = true;
            s.refused = {{"pivot_root", 0}};
          },
          {Phase::init, PivotRoot{}, 0}},
    Scene{"a filter that looks at arguments",
          [](Surroundings& s) { s.filtered = true; },
          {Phase::clone, kClone, EPERM}},
    Scene{"an old kernel",
          [](Surroundings& s) {
            s.kernel = "5.4.0";
            s.refused = {{"openat2", ENOSYS}, {"mount_setattr", ENOSYS}};
          },
          {Phase::attend, DetachTree{"/work"}, ENOSYS}},
    Scene{
        "inside sbx", [](Surroundings& s) { s.container = "sbx"; }, {Phase::clone, kClone, ENOSYS}},
    Scene{"a chroot", [](Surroundings& s) { s.chrooted = true; }, {Phase::clone, kClone, EPERM}},
    Scene{"a security module",
          [](Surroundings& s) { s.label = "docker-default (enforce)"; },
          {Phase::init, MountRoot{64 << 20}, EACCES}},
    Scene{"nothing to be seen", [](Surroundings&) {}, {Phase::clone, kClone, EPERM}},
    Scene{"root of a user namespace with few ids",
          [](Surroundings& s) {
            s.euid = s.egid = 0;
            s.uids = s.gids = {{0, 65536}};
            s.container = "podman";
          },
          {Phase::attend, WriteIdMaps{1000, 1000, true}, EPERM}},
    Scene{"no /proc",
          [](Surroundings& s) { s.proc = false; },
          {Phase::init, MountProc{"/proc"}, EPERM}},
    Scene{"Landlock not switched on",
          [](Surroundings& s) { s.lsm = "capability,yama"; },
          {Phase::payload, ApplyLandlock{7, {{"/workspace", true, false}}, true}, EOPNOTSUPP}},
    Scene{"sixteen Landlock sandboxes around sbx",
          [](Surroundings&) {},
          {Phase::payload, ApplyLandlock{7, {{"/workspace", true, false}}, true}, E2BIG}},
    Scene{"as many, where Landlock is the only wall",
          [](Surroundings&) {},
          {Phase::init, HoldTree{7}, E2BIG}},
    Scene{"a file system without id maps",
          [](Surroundings& s) { s.euid = s.egid = 0; },
          {Phase::attend, DetachTree{"/nfs", true, true, 5, 5}, EINVAL}},
    Scene{"no terminals", [](Surroundings&) {}, {Phase::payload, OpenPty{}, ENOENT}},
    Scene{"too few processes",
          [](Surroundings& s) { s.processes = 10; },
          {Phase::clone, kClone, EAGAIN}},
    Scene{"too few descriptors",
          [](Surroundings& s) { s.files = 16; },
          {Phase::payload, PlaceStdio{}, EMFILE}},
};

}  // namespace

TEST_CASE("what a failed step says where nothing is known to be in the way") {
  std::string text;
  for (const Case& one : cases()) text += message(one, quiet_host());
  sbx::testing::compare_golden(kFolder / "steps.txt", text);
}

TEST_CASE("what it says where something is") {
  std::string text;
  for (const Scene& scene : kScenes) {
    Surroundings around = quiet_host();
    scene.change(around);
    const std::string said = message(scene.met, around);
    CHECK_MESSAGE(said.contains("because "), scene.name, ": no cause");
    text += "# " + std::string(scene.name) + "\n" + said;
  }
  sbx::testing::compare_golden(kFolder / "hosts.txt", text);
}

TEST_CASE("every step of real plans, whatever the errno, says something to try") {
  constexpr std::array kErrnos{EPERM,  ENOENT, EIO,    EAGAIN, ENOMEM,   EACCES,
                               EBUSY,  EINVAL, EMFILE, ENOSPC, EROFS,    ERANGE,
                               ENOSYS, ELOOP,  ENODEV, EPIPE,  EOVERFLOW};
  for (const Case& one : cases())
    for (const int error : kErrnos) (void)message({one.phase, one.action, error}, quiet_host());
}
