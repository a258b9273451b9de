// init's steps that build the new root: folders, links, files and bind mounts, all below the
// descriptor of its tmpfs. Only folders of that tmpfs are ever made; the host's tree is never
// written to.
#include <fcntl.h>
#include <linux/mount.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "base/fail.hpp"
#include "base/fixed_text.hpp"
#include "launch/executor.hpp"
#include "os/mount.hpp"
#include "os/pass_descriptors.hpp"

namespace sbx::launch {
namespace {

/// The folder that the last component of `path`, a whole string, is in: opened by `open` unless it
/// is known, and found without following links.
template <class Open>
SysResult<Place> place_in(KnownFolder& known, std::string_view path, Open open) noexcept {
  const std::size_t slash = path.rfind('/');
  char parent[PATH_MAX];
  if (slash >= sizeof parent || slash + 1 == path.size())  // npos is past every size
    return std::unexpected(Errno{EINVAL});
  const std::string_view folder = path.substr(0, slash);
  if (!known.fd.valid() || known.path != folder) {
    std::memcpy(parent, path.data(), slash);
    parent[slash] = '\0';
    known.fd = SBX_TRY(open(parent));
    known.path = folder;
  }
  return Place{known.fd.get(), path.data() + slash + 1};
}

/// A new file at `path`; never one that is there.
SysResult<os::UniqueFd> create_file(Context& context, const std::string& path,
                                    unsigned mode) noexcept {
  const Place place = SBX_TRY(place_of(context, path));
  os::UniqueFd file(::openat(place.folder, place.name,
                             O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
  if (!file.valid()) return fail();
  return file;
}

StepResult write_file(Context& context, const std::string& path, unsigned mode,
                      std::string_view content) noexcept {
  const os::UniqueFd file = SBX_TRY(create_file(context, path, mode));
  while (!content.empty()) {
    const ssize_t n = ::write(file.get(), content.data(), content.size());
    if (n < 0) return fail();
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

/// Attributes first, so that a tree is never reachable with weaker ones.
StepResult restrict_and_attach(Context& context, const os::UniqueFd& tree,
                               const plan::MountFlags& flags, const std::string& target) noexcept {
  const std::uint64_t attributes = mount_attributes(flags);
  if (attributes != 0) SBX_CHECK(os::restrict_mount(tree.get(), attributes, true));
  return attach_at(context, tree, target);
}

}  // namespace

SysResult<Place> place_of(Context& context, const std::string& path) noexcept {
  return place_in(context.folder, path, [&](const char* folder) noexcept {
    return os::open_inside(context.root.get(), *folder == '\0' ? "." : folder + 1);
  });
}

SysResult<Place> source_at(Context& context, const std::string& path) noexcept {
  const std::string_view named = path == "/" ? std::string_view("/.") : path;
  return place_in(context.source, named, [](const char* folder) noexcept {
    return os::open_path_strict(*folder == '\0' ? "/" : folder);
  });
}

std::uint64_t mount_attributes(const plan::MountFlags& flags) noexcept {
  std::uint64_t attributes = 0;
  if (flags.read_only) attributes |= MOUNT_ATTR_RDONLY;
  if (flags.no_suid) attributes |= MOUNT_ATTR_NOSUID;
  if (flags.no_dev) attributes |= MOUNT_ATTR_NODEV;
  if (flags.no_exec) attributes |= MOUNT_ATTR_NOEXEC;
  return attributes;
}

const char* relative(const std::string& path) noexcept {
  return path.size() > 1 ? path.c_str() + 1 : ".";
}

StepResult attach_at(Context& context, const os::UniqueFd& tree,
                     const std::string& target) noexcept {
  const Place place = SBX_TRY(place_of(context, target));
  return os::attach_tree(tree.get(), place.folder, place.name);
}

StepResult detach_at(Context& context, const std::string& target) noexcept {
  context.folder.fd.reset();  // it may be in there
  if (::fchdir(context.root.get()) != 0) return fail();
  if (::umount2(relative(target), MNT_DETACH | UMOUNT_NOFOLLOW) != 0) return fail();
  return {};
}

SysResult<os::UniqueFd> bind_onto_itself(Context& context, int place, bool read_only) noexcept {
  os::UniqueFd tree = SBX_TRY(os::clone_tree(place, true));
  // Else it is as it was: a file that is masked with a device must not lose that.
  if (read_only) SBX_CHECK(os::restrict_mount(tree.get(), mount_attributes({}), true));
  context.folder.fd.reset();  // this may cover it
  SBX_CHECK(os::attach_tree(tree.get(), place, ""));
  return tree;
}

StepResult run(const plan::PrivatePropagation&, Context&) noexcept {
  return os::make_all_private();
}

StepResult run(const plan::MountRoot& step, Context& context) noexcept {
  const auto size = FixedText<24>().add(step.size);
  const os::FsOption options[] = {{"size", size.c_str()}, {"mode", "0755"}, {"nr_inodes", "4096"}};
  context.root =
      SBX_TRY(os::new_filesystem("tmpfs", options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
  context.umask = ::umask(0);  // the modes are the plan's
  // It has to hang somewhere for pivot_root(2): over the old root, which we reach by descriptor or,
  // for absolute paths, still see because our root directory lies below the new mount.
  const os::UniqueFd old_root = SBX_TRY(os::open_path_strict("/"));
  return os::attach_tree(context.root.get(), old_root.get(), "");
}

StepResult run(const plan::MakeDir& step, Context& context) noexcept {
  const Place place = SBX_TRY(place_of(context, step.path));
  if (::mkdirat(place.folder, place.name, step.mode) != 0) return fail();
  return {};
}

StepResult run(const plan::MakeSymlink& step, Context& context) noexcept {
  const Place place = SBX_TRY(place_of(context, step.path));
  if (::symlinkat(step.link.c_str(), place.folder, place.name) != 0) return fail();
  return {};
}

StepResult run(const plan::WriteFile& step, Context& context) noexcept {
  if (step.content.empty()) {  // a place to mount on: nothing has to be opened
    const Place place = SBX_TRY(place_of(context, step.path));
    if (::mknodat(place.folder, place.name, S_IFREG | step.mode, 0) != 0) return fail();
    return {};
  }
  return write_file(context, step.path, step.mode, step.content);
}

StepResult run(const plan::WriteSecret& step, Context& context) noexcept {
  if (step.index >= context.prepared->secrets.size()) return std::unexpected(Errno{EPROTO});
  return write_file(context, step.path, step.mode, context.prepared->secrets[step.index].value());
}

StepResult run(const plan::CopyFile& step, Context& context) noexcept {
  const Place from = SBX_TRY(source_at(context, step.source));
  const os::SourceFile source = SBX_TRY(os::open_file_in(from.folder, from.name));
  ::off_t size = source.size;
  const os::UniqueFd file = SBX_TRY(create_file(context, step.path, step.mode));
  // In the kernel, from one page cache to the other, as much as there was when it was opened.
  while (size > 0) {
    const ssize_t n =
        ::sendfile(file.get(), source.fd.get(), nullptr, static_cast<std::size_t>(size));
    if (n < 0) return fail();
    if (n == 0) return {};  // it shrank
    size -= n;
  }
  return {};
}

StepResult run(const plan::BindTree& step, Context& context) noexcept {
  const Place from = SBX_TRY(source_at(context, step.source));
  const os::NamedTree tree = SBX_TRY(os::clone_tree_in(from.folder, from.name, step.recursive));
  SBX_CHECK(restrict_and_attach(context, tree.fd, step.flags, step.target));
  // Our new root hangs over the host's, and has come along on top of it.
  return step.recursive && step.source == "/" ? detach_at(context, step.target) : StepResult();
}

StepResult run(const plan::AttachTree& step, Context& context) noexcept {
  const auto received = SBX_TRY(os::receive_descriptors(context.channel, true));
  return restrict_and_attach(context, received.front(), step.flags, step.target);
}

StepResult run(const plan::SealMount& step, Context& context) noexcept {
  const os::UniqueFd mount = SBX_TRY(os::open_inside(context.root.get(), relative(step.path)));
  return os::restrict_mount(mount.get(), mount_attributes(step.flags), step.recursive);
}

StepResult run(const plan::BindInside& step, Context& context) noexcept {
  const os::UniqueFd source = SBX_TRY(os::open_inside(context.root.get(), relative(step.source)));
  const os::UniqueFd tree = SBX_TRY(os::clone_tree(source.get(), true));
  return restrict_and_attach(context, tree, step.flags, step.target);
}

StepResult run(const plan::ProtectPath& step, Context& context) noexcept {
  const auto source = os::open_inside(context.root.get(), relative(step.path));
  // This kernel does not have it, or this folder.
  const int error = source ? 0 : source.error().value;
  if (step.optional && (error == ENOENT || error == ENOTDIR)) return {};
  if (!source) return std::unexpected(source.error());
  SBX_TRY(bind_onto_itself(context, source->get(), !step.held));
  return {};
}

StepResult run(const plan::HandOverRoot&, Context& context) noexcept {
  // Our own tree goes with the mount namespace when the last of us ends; a detached copy stays
  // until its descriptor is closed, and nobody in here can change what is mounted in it.
  const os::UniqueFd tree = SBX_TRY(os::clone_tree(context.root.get(), true));
  const int passed[] = {tree.get()};
  return os::send_descriptors(context.channel, passed);
}

StepResult run(const plan::PivotRoot&, Context& context) noexcept {
  context.folder.fd.reset();
  context.source.fd.reset();  // of the host's tree
  SBX_CHECK(os::pivot_into(context.root.get()));
  ::umask(context.umask);
  return {};
}

StepResult run(const plan::DropOldRoot&, Context&) noexcept { return os::drop_old_root(); }

}  // namespace sbx::launch
