#include "images/tree_writer.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "images/cannot.hpp"

namespace sbx::images {
namespace {

Error cannot(std::string_view what, std::string_view name, int error) {
  return images::cannot(std::string(what) + " " + quote(name.substr(0, 200)) + " of the image",
                        error);
}

std::string joined(const std::vector<std::string>& names) {
  return names.empty() ? "." : join(names, "/");
}

/// Everything is the one user's inside, who may read all of the image, whoever that is; set-id bits
/// do nothing there. So that of a mode only that something is a program is left.
mode_t mode_of(unsigned mode) { return (mode & 0111U) != 0 ? 0755 : 0644; }

}  // namespace

SysResult<os::UniqueFd> open_in_root(int root, const char* path, int flags) {
  ::open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
  constexpr int kTries = 100;  // EAGAIN: something is renamed elsewhere (openat2(2))
  for (int tries = 1;; ++tries) {
    os::UniqueFd fd(static_cast<int>(::syscall(SYS_openat2, root, path, &how, sizeof how)));
    if (fd.valid()) return fd;
    if ((errno != EAGAIN && errno != EINTR) || tries == kTries) return fail();
  }
}

Result<int> TreeWriter::parent(const std::vector<std::string>& parents, bool make) {
  const std::string path = joined(parents);
  if (parent_fd_.valid() && path == parent_path_) return parent_fd_.get();
  constexpr int kFlags = O_PATH | O_DIRECTORY;
  auto folder = open_in_root(root_, path.c_str(), kFlags);
  if (!folder && folder.error().value == ENOENT && make) {
    auto at = open_in_root(root_, ".", kFlags);
    std::string prefix;
    for (const std::string& name : parents) {
      if (!at) break;
      prefix += (prefix.empty() ? "" : "/") + name;
      auto next = open_in_root(root_, prefix.c_str(), kFlags);
      if (!next && next.error().value == ENOENT) {
        SBX_CHECK(take_entry(budget_));
        // EEXIST: a link that leads nowhere. To make what it points at would be a guess.
        if (::mkdirat(at->get(), name.c_str(), 0755) != 0)
          return std::unexpected(cannot("make the folder", prefix, errno));
        note_made(at->get(), name);
        next = open_in_root(root_, prefix.c_str(), kFlags);
      }
      at = std::move(next);
    }
    folder = std::move(at);
  }
  if (!folder) return std::unexpected(cannot("open the folder", path, folder.error().value));
  parent_path_ = path;
  parent_fd_ = *std::move(folder);
  return parent_fd_.get();
}

Result<void> TreeWriter::whiteout(const EntryName& name) {
  // What is removed from a folder that is not there is gone already.
  const auto folder = parent(name.parents, false);
  if (!folder) return {};
  const std::string path = joined(name.parents);
  if (name.role == Role::whiteout) {
    if (const auto done = remove(*folder, name.name, true, 0); !done)
      return std::unexpected(cannot("remove", path + "/" + name.name, done.error().value));
    return {};
  }
  const auto listed = open_in_root(root_, path.c_str(), O_RDONLY | O_DIRECTORY);
  if (!listed) return std::unexpected(cannot("open the folder", path, listed.error().value));
  if (const auto done = remove_inside(listed->get(), true, 0); !done)
    return std::unexpected(cannot("empty", path, done.error().value));
  return {};
}

Result<bool> TreeWriter::leaves(const Member& member, const struct ::stat& there) const {
  if (member.type == MemberType::folder) return S_ISDIR(there.st_mode);
  if (member.type != MemberType::hardlink) return false;
  return SBX_TRY(find_target(member)).inode == there.st_ino;
}

Result<void> TreeWriter::put(const Member& member, LayerReader& layer) {
  const EntryName name = SBX_TRY(entry_name(member.name));
  switch (name.role) {
    case Role::ignored:
      return {};
    case Role::whiteout:
    case Role::opaque:
      return whiteout(name);
    case Role::plain:
      break;
  }
  if (name.name.empty()) return {};  // the root itself
  if (member.type == MemberType::other) {
    ++left_out_;
    return {};
  }
  const int folder = SBX_TRY(parent(name.parents, true));
  struct ::stat there{};
  const bool exists = ::fstatat(folder, name.name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0;
  const bool stays = exists && SBX_TRY(leaves(member, there));
  if (exists && !stays) {
    if (const auto gone = remove(folder, name.name, false, 0); !gone)
      return std::unexpected(cannot("replace", member.name, gone.error().value));
  } else if (stays) {
    note_made(folder, name.name);
    return {};
  }
  // The path may have led through what has just gone.
  const int again = SBX_TRY(parent(name.parents, true));
  SBX_CHECK(make_one(member, name, again, layer));
  note_made(again, name.name);
  return {};
}

Result<void> TreeWriter::make_one(const Member& member, const EntryName& name, int folder,
                                  LayerReader& layer) {
  switch (member.type) {
    case MemberType::folder:
      if (::mkdirat(folder, name.name.c_str(), 0755) != 0)
        return std::unexpected(cannot("make the folder", member.name, errno));
      return {};
    case MemberType::file:
      return write_file(member, name, folder, layer);
    case MemberType::symlink:
      if (::symlinkat(member.target.c_str(), folder, name.name.c_str()) != 0)
        return std::unexpected(cannot("make the link", member.name, errno));
      return {};
    case MemberType::hardlink:
      return link(member, name, folder);
    case MemberType::other:
      break;
  }
  return {};
}

Result<void> TreeWriter::write_file(const Member& member, const EntryName& name, int folder,
                                    LayerReader& layer) {
  if (member.size > left_)
    return std::unexpected(
        Error{.kind = ErrorKind::host,
              .what = "the image's files are larger than `max` of `root` allows",
              .hint = "raise it if you trust the image: root: {oci: ..., max: 16G}"});
  left_ -= member.size;
  bytes_ += member.size;
  const os::UniqueFd file(::openat(folder, name.name.c_str(),
                                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.valid()) return std::unexpected(cannot("make the file", member.name, errno));
  if (::ftruncate(file.get(), static_cast<::off_t>(member.size)) != 0)
    return std::unexpected(cannot("write", member.name, errno));
  std::string_view bytes;
  std::uint64_t offset = 0;
  while (SBX_TRY(layer.data(bytes, offset))) {
    if (offset > member.size || bytes.size() > member.size - offset)
      return std::unexpected(
          Error{.kind = ErrorKind::host,
                .what = "the image's archive is damaged: " + quote(member.name.substr(0, 200)) +
                        " is longer than it says"});
    while (!bytes.empty()) {
      const ssize_t n =
          ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<::off_t>(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return std::unexpected(cannot("write", member.name, errno));
      offset += static_cast<std::uint64_t>(n);
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  // Python compares a source's time with what it has compiled.
  const std::array<::timespec, 2> times{
      {{0, UTIME_OMIT}, {member.modified, static_cast<long>(member.modified_ns)}}};
  if (::fchmod(file.get(), mode_of(member.mode)) != 0 || ::futimens(file.get(), times.data()) != 0)
    return std::unexpected(cannot("write", member.name, errno));
  return {};
}

Result<TreeWriter::Target> TreeWriter::find_target(const Member& member) const {
  EntryName name = SBX_TRY(plain_name(member.target));
  auto folder = open_in_root(root_, joined(name.parents).c_str(), O_PATH | O_DIRECTORY);
  struct ::stat what{};
  if (!folder || ::fstatat(folder->get(), name.name.c_str(), &what, AT_SYMLINK_NOFOLLOW) != 0 ||
      S_ISDIR(what.st_mode))
    return Target{};
  return Target{std::move(*folder), std::move(name.name), what.st_ino};
}

Result<void> TreeWriter::link(const Member& member, const EntryName& name, int folder) {
  const Target target = SBX_TRY(find_target(member));
  if (target.inode == 0)
    return std::unexpected(
        Error{.kind = ErrorKind::host,
              .what = "the image has a hard link " + quote(member.name.substr(0, 200)) + " to " +
                      quote(member.target.substr(0, 200)) + ", and no such file before it",
              .hint = "the image is damaged: get it again"});
  // Without AT_SYMLINK_FOLLOW: to a link itself, never to what it leads to.
  if (::linkat(target.folder.get(), target.name.c_str(), folder, name.name.c_str(), 0) != 0)
    return std::unexpected(cannot("make the hard link", member.name, errno));
  return {};
}

Result<void> TreeWriter::make_folder(const EntryName& name) {
  if (name.name.empty()) return {};
  std::vector<std::string> all = name.parents;
  all.push_back(name.name);
  SBX_CHECK(parent(all, true));
  return {};
}

Result<void> TreeWriter::make_file(const EntryName& name) {
  const int folder = SBX_TRY(parent(name.parents, true));
  struct ::stat there{};
  const bool exists = ::fstatat(folder, name.name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0;
  if (exists && S_ISREG(there.st_mode)) return {};
  if (const auto gone = remove(folder, name.name, false, 0); !gone)
    return std::unexpected(cannot("replace", name.name, gone.error().value));
  const int again = SBX_TRY(parent(name.parents, true));
  const os::UniqueFd file(::openat(again, name.name.c_str(),
                                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file.valid()) return std::unexpected(cannot("make the file", name.name, errno));
  return {};
}

}  // namespace sbx::images
