#include "images/store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <tuple>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "images/confined.hpp"
#include "images/store_sweep.hpp"
#include "os/folder.hpp"
#include "os/heir.hpp"
#include "os/remove_tree.hpp"
#include "os/state_folder.hpp"

namespace sbx::images {
namespace {

constexpr std::size_t kMaxKept = std::size_t{8} << 20U;
constexpr ::time_t kRacy = 2;  ///< seconds: a later change may have the same time
constexpr ::time_t kDay =
    ::time_t{24} * 3600;  ///< how exactly it is known when an image was used last

Error store_error(const std::string& what, int error) {
  return os::state_folder_error(
      what,
      "images are unpacked into $XDG_CACHE_HOME/sbx/images, else ~/.cache/sbx/images (root: "
      "/var/cache/sbx/images), which has to be yours and closed to others",
      error);
}

/// The source as it is now.
struct Source {
  os::UniqueFd file;
  std::string witness;   ///< of what it is: another one when anything has changed
  bool settled = false;  ///< a change from now on shows in `witness`
};

Result<Source> open_source(const Request& request) {
  const auto refuse = [&](int error, const char* why = "") {
    return std::unexpected(Error{.kind = ErrorKind::profile,
                                 .what = "cannot open the image " + quote(request.path) + why,
                                 .hint = "name an OCI layout, or an archive of `docker save` or "
                                         "`podman save`",
                                 .sys_errno = error});
  };
  Source source;
  source.file.reset(::open(request.path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct ::stat what{};
  if (!source.file.valid() || ::fstat(source.file.get(), &what) != 0) return refuse(errno);
  if (!S_ISREG(what.st_mode) && !S_ISDIR(what.st_mode)) return refuse(EINVAL);
  // Of a layout only its index: all else is named by its digest.
  if (S_ISDIR(what.st_mode) &&
      ::fstatat(source.file.get(), "index.json", &what, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT ? refuse(0, ": it is a folder without index.json") : refuse(errno);
  std::string text = "1";
  for (const auto part :
       {static_cast<std::int64_t>(what.st_dev), static_cast<std::int64_t>(what.st_ino),
        static_cast<std::int64_t>(what.st_size), static_cast<std::int64_t>(what.st_mtim.tv_sec),
        static_cast<std::int64_t>(what.st_mtim.tv_nsec),
        static_cast<std::int64_t>(what.st_ctim.tv_sec),
        static_cast<std::int64_t>(what.st_ctim.tv_nsec)})
    text += "\n" + std::to_string(part);
  source.witness = "at-" + sha256_hex(text + "\n" + request.ref);
  source.settled = what.st_ctim.tv_sec + kRacy < ::time(nullptr);
  return source;
}

Result<std::string> read_kept(int folder) {
  const os::UniqueFd file(::openat(folder, kImageFile, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  struct ::stat what{};
  if (!file.valid() || ::fstat(file.get(), &what) != 0)
    return std::unexpected(
        store_error("an unpacked image lacks " + std::string(kImageFile), errno));
  const auto size = static_cast<std::size_t>(what.st_size);
  std::string text(std::min(size, kMaxKept), '\0');
  if (::pread(file.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    return std::unexpected(store_error("an unpacked image cannot be read", EIO));
  if (what.st_mtim.tv_sec + kDay < ::time(nullptr)) (void)::futimens(file.get(), nullptr);
  return text;
}

Result<Held> read_held(os::UniqueFd folder, const std::string& path) {
  Held held;
  const std::string kept = SBX_TRY(read_kept(folder.get()));
  held.image = SBX_TRY(from_text(kept));
  // Made by a child that read hostile bytes: a link would be followed where the root is shown.
  const os::UniqueFd root(
      ::openat(folder.get(), kRootName, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!root.valid())
    return std::unexpected(store_error("an unpacked image has no folder for a root", errno));
  held.root = path + "/" + kRootName;
  held.lock = std::move(folder);
  return held;
}

/// The image `name`, held; nothing when there is none.
Result<std::optional<Held>> hold(const os::StateFolder& store, const std::string& name) {
  os::UniqueFd folder = open_inner(store.fd.get(), name);
  // Who removes it has it locked, and its name is gone then.
  if (!folder.valid() || ::flock(folder.get(), LOCK_SH) != 0 ||
      !os::is_named(store.fd.get(), name.c_str(), folder.get()))
    return std::nullopt;
  const std::string path = store.path + "/" + name;
  auto held = read_held(std::move(folder), path);
  if (held) return std::move(*held);
  held.error().hint = "without it the next run unpacks it again: rm -r " + quote(path);
  return std::unexpected(std::move(held).error());
}

/// What `witness` led to before.
Result<std::optional<Held>> find_known(const os::StateFolder& store, const std::string& witness) {
  std::array<char, 80> name{};
  const ssize_t size = ::readlinkat(store.fd.get(), witness.c_str(), name.data(), name.size());
  constexpr ssize_t kHex = 64;
  if (size != kHex) return std::nullopt;
  return hold(store, std::string(name.data(), kHex));
}

/// A folder of its own for `witness`, empty and locked. Nothing: somebody else has finished with it
/// meanwhile.
Result<os::UniqueFd> stage(const os::StateFolder& store, const std::string& name) {
  constexpr int kTries = 1000;
  for (int tries = 0; tries < kTries; ++tries) {
    if (::mkdirat(store.fd.get(), name.c_str(), 0700) != 0 && errno != EEXIST) break;
    os::UniqueFd folder = open_inner(store.fd.get(), name);
    // Waits for whoever unpacks the same. It has another name then, or is what a killed run left.
    if (!folder.valid() || ::flock(folder.get(), LOCK_EX) != 0) continue;
    if (os::is_named(store.fd.get(), name.c_str(), folder.get())) return folder;
  }
  return std::unexpected(store_error("cannot make a folder in " + quote(store.path), errno));
}

/// Gives the image its name, unless another run has been faster with the same one.
Result<void> commit(const os::StateFolder& store, int folder, const std::string& staged,
                    const std::string& name) {
  // On the disk before it has that name, by which later runs take it for whole, also after a power
  // loss. All at once: file by file it would take longer than to unpack them.
  if (::syncfs(folder) != 0)
    return std::unexpected(store_error("cannot write the unpacked image to the disk", errno));
  if (::renameat(store.fd.get(), staged.c_str(), store.fd.get(), name.c_str()) == 0 ||
      errno == ENOTEMPTY || errno == EEXIST)
    return {};
  return std::unexpected(store_error("cannot keep the unpacked image", errno));
}

struct Bequest {
  int store;
  int folder;
  const std::string& name;
};

/// What is half unpacked, when its run was killed.
void clear_up(void* argument) noexcept {
  const auto& left = *static_cast<const Bequest*>(argument);
  if (os::is_named(left.store, left.name.c_str(), left.folder))
    os::remove_folder(left.store, left.folder, left.name.c_str());
}

struct Unpacked {
  std::string name;
  bool fresh = false;  ///< nobody had it before
};

/// Unpacks into `folder`, which is named `staged`, and gives it the image's own name.
Result<Unpacked> unpack_named(const os::StateFolder& store, const Request& request,
                              const Source& source, int folder, const std::string& staged) {
  Unpacked image;
  const auto wanted = [&](const std::string& told) {
    if (!is_sha256_hex(told)) return false;
    // Never by what the child says alone: one that a crafted image has taken over could give its
    // own contents the name of somebody else's image.
    image.name = sha256_hex(told + "\n" + source.witness);
    image.fresh = ::faccessat(store.fd.get(), image.name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) != 0;
    return image.fresh;
  };
  SBX_CHECK(unpack_confined({.source = source.file.get(),
                             .staging = folder,
                             .ref = request.ref,
                             .max_bytes = request.max_bytes},
                            wanted));
  if (image.fresh) SBX_CHECK(commit(store, folder, staged, image.name));
  return image;
}

/// What find_known() goes by. Without it, the next run reads the image again.
void remember(const os::StateFolder& store, const Source& source, const std::string& name) {
  if (!source.settled) return;
  (void)::unlinkat(store.fd.get(), source.witness.c_str(), 0);
  std::ignore = ::symlinkat(name.c_str(), store.fd.get(), source.witness.c_str());
}

Result<std::optional<Held>> unpack_into(const os::StateFolder& store, const Request& request,
                                        const Source& source) {
  const std::string staged = "." + source.witness;
  const os::UniqueFd folder = SBX_TRY(stage(store, staged));
  if (auto known = SBX_TRY(find_known(store, source.witness))) {
    os::remove_folder(store.fd.get(), folder.get(), staged.c_str());
    return known;
  }
  sweep(store.fd.get());
  if (const auto emptied = os::empty_folder(folder.get()); !emptied)
    return std::unexpected(store_error("cannot empty a folder of images", emptied.error().value));
  Bequest bequest{store.fd.get(), folder.get(), staged};
  const auto heir = os::Heir::start(clear_up, &bequest);
  if (!heir) {
    os::remove_folder(store.fd.get(), folder.get(), staged.c_str());
    return std::unexpected(
        store_error("cannot start a process that clears up", heir.error().value));
  }
  auto image = unpack_named(store, request, source, folder.get(), staged);
  // It has its name, and is held like any other from here on.
  if (!os::is_named(store.fd.get(), staged.c_str(), folder.get()))
    (void)::flock(folder.get(), LOCK_UN);
  std::optional<Held> held;
  if (image) held = SBX_TRY(hold(store, image->name));
  if (held) remember(store, source, image->name);
  if (os::is_named(store.fd.get(), staged.c_str(), folder.get()))
    os::remove_folder(store.fd.get(), folder.get(), staged.c_str());
  if (!image) return std::unexpected(std::move(image).error());
  if (!held) return std::unexpected(store_error("the unpacked image has gone again", ENOENT));
  held->fresh = image->fresh;
  return held;
}

}  // namespace

Result<std::optional<Held>> find_unpacked(const Request& request) {
  const Source source = SBX_TRY(open_source(request));
  const auto store = os::open_cache_folder("images", false);
  if (!store && store.error().value == ENOENT) return std::nullopt;
  if (!store)
    return std::unexpected(store_error("the folder of images is not used", store.error().value));
  return find_known(*store, source.witness);
}

Result<std::optional<Held>> unpacked(const Request& request) {
  const Source source = SBX_TRY(open_source(request));
  const auto store = os::open_cache_folder("images", true);
  if (!store)
    return std::unexpected(store_error("no place to unpack images into", store.error().value));
  if (auto known = SBX_TRY(find_known(*store, source.witness))) {
    sweep_unfinished(store->fd.get());
    return known;
  }
  return unpack_into(*store, request, source);
}

void remove_leftovers() {
  if (const auto store = os::open_cache_folder("images", false)) sweep_unfinished(store->fd.get());
}

}  // namespace sbx::images
