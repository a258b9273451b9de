#include "artifacts/objects.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <set>

#include "base/fail.hpp"
#include "base/sha256.hpp"
#include "os/folder.hpp"

namespace sbx::artifacts {
namespace {

std::string outer(const std::string& digest) { return digest.substr(0, 2); }
std::string inner(const std::string& digest) { return outer(digest) + "/" + digest.substr(2, 2); }
std::string place(const std::string& digest) { return inner(digest) + "/" + digest; }

SysResult<void> make_folder(int in, const std::string& path) {
  if (::mkdirat(in, path.c_str(), 0700) != 0 && errno != EEXIST) return fail();
  return {};
}

SysResult<os::UniqueFd> open_folder(int in, const std::string& name) {
  return os::open_beneath(in, name.c_str(), O_RDONLY | O_DIRECTORY);
}

/// None: it is something else, which is not ours.
SysResult<os::UniqueFd> open_if_folder(int in, const std::string& name) {
  auto folder = open_folder(in, name);
  const int error = folder ? 0 : folder.error().value;
  if (error == ENOTDIR || error == ELOOP) return os::UniqueFd();
  return folder;
}

SysResult<std::vector<std::string>> names_if_folder(const os::UniqueFd& folder) {
  if (!folder.valid()) return std::vector<std::string>{};
  return os::list_names(folder.get());
}

}  // namespace

SysResult<std::string> digest_of(int fd) {
  constexpr std::size_t kBuffer = 256UL * 1024;
  std::string buffer(kBuffer, '\0');
  Sha256 sum;
  for (;;) {
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail();
    if (n == 0) return sum.hex();
    sum.put({buffer.data(), static_cast<std::size_t>(n)});
  }
}

SysResult<Objects> Objects::open(int store) {
  SBX_CHECK(make_folder(store, "objects"));
  Objects objects;
  objects.folder_ = SBX_TRY(open_folder(store, "objects"));
  return objects;
}

SysResult<os::UniqueFd> Objects::read(const std::string& digest) const {
  os::UniqueFd file = SBX_TRY(
      os::open_beneath(folder_.get(), place(digest).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  struct ::stat what{};
  if (::fstat(file.get(), &what) != 0) return fail();
  if (!S_ISREG(what.st_mode)) return std::unexpected(Errno{EINVAL});
  return file;
}

bool Objects::has(const std::string& digest, std::uint64_t bytes) const {
  struct ::stat what{};
  return ::fstatat(folder_.get(), place(digest).c_str(), &what, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(what.st_mode) && static_cast<std::uint64_t>(what.st_size) == bytes;
}

SysResult<void> Objects::add(const std::string& digest, int folder, const std::string& name) const {
  SBX_CHECK(make_folder(folder_.get(), outer(digest)));
  SBX_CHECK(make_folder(folder_.get(), inner(digest)));
  const std::string to = place(digest);
  if (::unlinkat(folder_.get(), to.c_str(), 0) != 0 && errno != ENOENT) return fail();
  if (::linkat(folder, name.c_str(), folder_.get(), to.c_str(), 0) != 0) return fail();
  return {};
}

SysResult<void> Objects::sync(const std::vector<std::string>& digests) const {
  std::set<std::string> folders;
  for (const std::string& digest : digests) folders.insert({".", outer(digest), inner(digest)});
  for (const std::string& name : folders) {
    const os::UniqueFd folder = SBX_TRY(open_folder(folder_.get(), name));
    // EINVAL: a file system that has nothing to do for it (fsync(2)).
    if (::fsync(folder.get()) != 0 && errno != EINVAL) return fail();
  }
  return {};
}

void Objects::remove(const std::string& digest) const {
  if (::unlinkat(folder_.get(), place(digest).c_str(), 0) != 0) return;
  // Those that have become empty; the others refuse.
  ::unlinkat(folder_.get(), inner(digest).c_str(), AT_REMOVEDIR);
  ::unlinkat(folder_.get(), outer(digest).c_str(), AT_REMOVEDIR);
}

SysResult<void> Objects::each(
    const std::function<void(const std::string&, std::uint64_t)>& each) const {
  for (const std::string& first : SBX_TRY(os::list_names(folder_.get()))) {
    const os::UniqueFd wide = SBX_TRY(open_if_folder(folder_.get(), first));
    for (const std::string& second : SBX_TRY(names_if_folder(wide))) {
      const os::UniqueFd narrow = SBX_TRY(open_if_folder(wide.get(), second));
      for (const std::string& name : SBX_TRY(names_if_folder(narrow))) {
        struct ::stat what{};
        if (is_sha256_hex(name) &&
            ::fstatat(narrow.get(), name.c_str(), &what, AT_SYMLINK_NOFOLLOW) == 0)
          each(name, static_cast<std::uint64_t>(what.st_blocks) * 512);
      }
    }
  }
  return {};
}

}  // namespace sbx::artifacts
