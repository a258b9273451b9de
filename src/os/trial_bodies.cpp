#include "os/trial_bodies.hpp"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <linux/kvm.h>
#include <linux/mount.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/fail.hpp"
#include "os/idmap.hpp"
#include "os/landlock.hpp"
#include "os/mount.hpp"
#include "os/network.hpp"
#include "os/process.hpp"
#include "os/pty.hpp"
#include "os/seccomp_notify.hpp"

namespace sbx::os::trial {
namespace {

int result(const SysResult<void>& done) noexcept { return done ? 0 : done.error().value; }
int result(int returned) noexcept { return returned < 0 ? errno : 0; }

constexpr std::uint64_t kPlain = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

/// A fresh tmpfs, nowhere attached, and the working directory in it.
SysResult<UniqueFd> enter_tmpfs() noexcept {
  UniqueFd tree = SBX_TRY(new_filesystem("tmpfs", {}, kPlain));
  if (::fchdir(tree.get()) != 0) return fail();
  return tree;
}

/// Nobody outside is to see what is mounted here.
SysResult<UniqueFd> private_tmpfs() noexcept {
  SBX_CHECK(make_all_private());
  return enter_tmpfs();
}

/// The same, attached over our root: as in a run, and as layers of an overlay have to be before
/// Linux 6.15.
SysResult<UniqueFd> attached_tmpfs() noexcept {
  UniqueFd tree = SBX_TRY(private_tmpfs());
  const UniqueFd at = SBX_TRY(open_path_strict("/"));
  SBX_CHECK(attach_tree(tree.get(), at.get(), ""));
  if (::fchdir(tree.get()) != 0) return fail();
  return tree;
}

constexpr sock_filter kAllowAll[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};

}  // namespace

int nothing(void*) noexcept { return 0; }

int time_namespace(void*) noexcept { return result(::unshare(CLONE_NEWTIME)); }

int tmpfs(void*) noexcept {
  const auto tree = private_tmpfs();
  return tree ? result(::mkdir("folder", 0700)) : tree.error().value;
}

int proc(void*) noexcept {
  const auto tree = new_filesystem("proc", {}, kPlain | MOUNT_ATTR_NOEXEC);
  return tree ? 0 : tree.error().value;
}

int namespace_limit(void*) noexcept {
  const auto tree = new_filesystem("proc", {}, kPlain | MOUNT_ATTR_NOEXEC);
  if (!tree) return tree.error().value;
  const auto file = open_inside(tree->get(), "sys/user/max_user_namespaces", O_WRONLY);
  if (!file) return file.error().value;
  return result(static_cast<int>(::write(file->get(), "0", 1)));
}

int devpts(void*) noexcept {
  const FsOption options[] = {{"newinstance", nullptr}, {"ptmxmode", "0666"}, {"mode", "0620"}};
  const auto tree = new_filesystem("devpts", options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
  return tree ? 0 : tree.error().value;
}

int pivot_root(void*) noexcept {
  const auto tree = attached_tmpfs();
  if (!tree) return tree.error().value;
  if (const auto pivoted = pivot_into(tree->get()); !pivoted) return result(pivoted);
  return result(drop_old_root());
}

int bind(void*) noexcept {
  const auto folder = open_path_strict("/usr");
  if (!folder) return folder.error().value;
  const auto tree = clone_tree(folder->get(), true);
  return tree ? 0 : tree.error().value;
}

int network(void*) noexcept {
  const auto made = new_network();
  if (!made) return made.error().value;
  const auto entered = enter_network(made->get());  // init joins it
  return entered ? result(raise_loopback()) : entered.error().value;
}

int host_name(void*) noexcept { return result(::sethostname("sandbox", 7)); }

int overlay(void*) noexcept {
  const auto tree = attached_tmpfs();
  if (!tree) return tree.error().value;
  for (const char* folder : {"lower", "upper", "work"})
    if (::mkdir(folder, 0700) != 0) return errno;
  const FsOption layers[] = {
      {"lowerdir", "lower"}, {"upperdir", "upper"}, {"workdir", "work"}, {"userxattr", nullptr}};
  const auto merged = new_filesystem("overlay", layers, kPlain);
  return merged ? 0 : merged.error().value;
}

int idmapped_mount(void* id_map) noexcept {
  const IdMap& map = *static_cast<const IdMap*>(id_map);
  // The working directory's file system is the one that a workspace is on.
  const UniqueFd here(::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const auto tree = clone_tree(here.get(), false);
  if (!tree) return tree.error().value;
  UserNamespaceMaker maker;
  const auto space = maker.make(map);
  return space ? result(idmap_tree(tree->get(), space->get(), false)) : space.error().value;
}

int seccomp(void*) noexcept {
  if (const auto done = set_no_new_privs(); !done) return result(done);
  return result(install_filter(kAllowAll));
}

int seccomp_notify(void*) noexcept {
  if (const auto done = set_no_new_privs(); !done) return result(done);
  const auto listener = install_filter_with_listener(kAllowAll);
  return listener ? 0 : listener.error().value;
}

int landlock(void* abi) noexcept {
  if (const auto done = set_no_new_privs(); !done) return result(done);
  const auto rules = landlock_ruleset(*static_cast<const int*>(abi), {.scope = true});
  return rules ? result(landlock_restrict(rules->get())) : rules.error().value;
}

int pidfd(void*) noexcept {
  const auto self = open_process(::getpid());
  return self ? result(signal_process(self->get(), 0)) : self.error().value;
}

int pty(void*) noexcept {
  const UniqueFd master(::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!master.valid()) return errno;
  if (::unlockpt(master.get()) != 0) return errno;
  const auto peer = open_pty_peer(master.get());
  return peer ? 0 : peer.error().value;
}

int tun(void*) noexcept {
  const UniqueFd device(::open("/dev/net/tun", O_RDWR | O_CLOEXEC));
  if (!device.valid()) return errno;
  ifreq request{};
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  return result(::ioctl(device.get(), TUNSETIFF, &request));
}

int kvm(void*) noexcept {
  const UniqueFd device(::open("/dev/kvm", O_RDWR | O_CLOEXEC));
  if (!device.valid()) return errno;
  return result(::ioctl(device.get(), KVM_GET_API_VERSION, 0));
}

}  // namespace sbx::os::trial
