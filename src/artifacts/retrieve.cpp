#include "artifacts/retrieve.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "os/folder.hpp"
#include "os/whole_file.hpp"

namespace sbx::artifacts {
namespace {

constexpr std::size_t kBuffer = 256UL * 1024;

Error damaged(const Artifact& artifact, const char* how) {
  return {.kind = ErrorKind::host,
          .what = "the content of " + quote(artifact.path) + " (" + artifact.sha256 + ") " + how,
          .hint = "a run that makes the same file again puts it right"};
}

Error cannot_write(const Artifact& artifact, int error) {
  std::string hint = "choose another folder with -o";
  if (error == ELOOP || error == ENOTDIR || error == EXDEV)
    hint =
        "on its way is a symbolic link, or something else that is no folder: choose an empty "
        "folder with -o";
  if (error == EFBIG) hint = kFileSizeHint;
  return {.kind = ErrorKind::host,
          .what = "cannot write " + quote(artifact.path) + " to the folder",
          .hint = std::move(hint),
          .sys_errno = error};
}

/// The whole file, from its beginning; `sink` gets what is read.
Result<std::string> pass(int fd, const Artifact& artifact, const Sink& sink) {
  const auto unreadable = [&artifact](int error) {
    return std::unexpected(
        store_error("cannot read the content of " + quote(artifact.path), error));
  };
  if (::lseek(fd, 0, SEEK_SET) != 0) return unreadable(errno);
  std::string buffer(kBuffer, '\0');
  Sha256 sum;
  for (;;) {
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return unreadable(errno);
    if (n == 0) return sum.hex();
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(n));
    sum.put(bytes);
    SBX_CHECK(sink(bytes));
  }
}

/// Where a file goes.
struct Spot {
  os::UniqueFd folder{};
  std::string name{};
};

/// Component by component: a link in the place of a folder is refused, also one that has just come.
Result<Spot> make_way(const Artifact& artifact, int to) {
  Spot spot;
  int at = to;
  const auto parts = split(std::string_view(artifact.path).substr(1), '/');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string name(parts[i]);
    // The index is ours, and it might be damaged.
    if (name.empty() || name == "." || name == "..")
      return std::unexpected(cannot_write(artifact, EINVAL));
    if (i + 1 == parts.size()) {
      spot.name = name;
      break;
    }
    if (::mkdirat(at, name.c_str(), 0777) != 0 && errno != EEXIST)
      return std::unexpected(cannot_write(artifact, errno));
    auto next = os::open_beneath(at, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!next) return std::unexpected(cannot_write(artifact, next.error().value));
    spot.folder = std::move(*next);
    at = spot.folder.get();
  }
  if (!spot.folder.valid()) spot.folder = os::UniqueFd(::fcntl(to, F_DUPFD_CLOEXEC, 0));
  return spot;
}

/// A file on its way to its place.
struct Unfinished {
  os::UniqueFd file{};
  std::string name{};  ///< "": it has none yet
};

/// Without a name, and so without a trace when we are killed. Where the file system has no such
/// files, under one that nobody has: what a killed one left there is in nobody's way.
Result<Unfinished> make_unfinished(const Spot& spot, const Artifact& artifact) {
  constexpr int kFlags = O_WRONLY | O_CLOEXEC;
  Unfinished made;
  made.file.reset(::openat(spot.folder.get(), ".", kFlags | O_TMPFILE, 0666));
  if (made.file.valid()) return made;
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number)
    return std::unexpected(cannot_write(artifact, errno));
  made.name = ".sbx-get-" + std::to_string(number);
  made.file.reset(
      ::openat(spot.folder.get(), made.name.c_str(), kFlags | O_CREAT | O_EXCL | O_NOFOLLOW, 0666));
  if (!made.file.valid()) return std::unexpected(cannot_write(artifact, errno));
  return made;
}

void drop(const Spot& spot, const Unfinished& made) {
  if (!made.name.empty()) ::unlinkat(spot.folder.get(), made.name.c_str(), 0);
}

/// Where neither a rename nor a link can be told to replace nothing: only an empty file of our own
/// is replaced, in whose place nobody else's could be put.
int replace_own(const Spot& spot, const Unfinished& made) {
  const int folder = spot.folder.get();
  const char* const to = spot.name.c_str();
  const os::UniqueFd own(
      ::openat(folder, to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!own.valid()) return errno;
  if (!os::is_named(folder, to, own.get())) return EEXIST;
  if (::renameat(folder, made.name.c_str(), folder, to) == 0) return 0;
  const int error = errno;
  if (os::is_named(folder, to, own.get())) ::unlinkat(folder, to, 0);
  return error;
}

/// EEXIST: something is there, and stays.
int give_place(const Spot& spot, const Unfinished& made) {
  const int folder = spot.folder.get();
  const char* const to = spot.name.c_str();
  const std::string nameless = "/proc/self/fd/" + std::to_string(made.file.get());
  const char* const from = made.name.c_str();
  if (made.name.empty())
    return ::linkat(AT_FDCWD, nameless.c_str(), folder, to, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
  // Some file systems know no flags of renameat2(2), as NFS, some no links, as FAT; of those
  // behind FUSE some know neither.
  if (::renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno == EEXIST) return errno;
  if (::linkat(folder, from, folder, to, 0) == 0) {
    drop(spot, made);
    return 0;
  }
  return errno == EEXIST ? errno : replace_own(spot, made);
}

bool is_same(const Spot& spot, const Artifact& artifact) {
  const auto there =
      os::open_beneath(spot.folder.get(), spot.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct ::stat what{};
  if (!there || ::fstat(there->get(), &what) != 0 || !S_ISREG(what.st_mode)) return false;
  const auto found = digest_of(there->get());
  return found && *found == artifact.sha256;
}

}  // namespace

Result<os::UniqueFd> open_content(const Opened& store, const Artifact& artifact) {
  auto file = store.objects().read(artifact.sha256);
  if (!file && file.error().value == ENOENT)
    return std::unexpected(damaged(artifact, "is missing"));
  if (!file)
    return std::unexpected(
        store_error("cannot read the content of " + quote(artifact.path), file.error().value));
  return std::move(*file);
}

Result<void> check(int content, const Artifact& artifact) {
  const auto nowhere = [](std::string_view) { return Result<void>{}; };
  if (SBX_TRY(pass(content, artifact, nowhere)) != artifact.sha256)
    return std::unexpected(damaged(artifact, "is damaged"));
  return {};
}

Result<os::UniqueFd> open_checked(const Opened& store, const Artifact& artifact) {
  os::UniqueFd content = SBX_TRY(open_content(store, artifact));
  SBX_CHECK(check(content.get(), artifact));
  return content;
}

Result<void> send(int content, const Artifact& artifact, const Sink& sink) {
  if (SBX_TRY(pass(content, artifact, sink)) != artifact.sha256)
    return std::unexpected(damaged(artifact, "has just changed"));
  return {};
}

Result<void> write_below(int content, const Artifact& artifact, int to) {
  SBX_CHECK(check(content, artifact));
  const Spot spot = SBX_TRY(make_way(artifact, to));
  const Unfinished made = SBX_TRY(make_unfinished(spot, artifact));
  const auto fail = [&](Error error) {
    drop(spot, made);
    return std::unexpected(std::move(error));
  };
  const auto passed = pass(content, artifact, [&](std::string_view bytes) -> Result<void> {
    const auto written = os::write_all(made.file.get(), bytes);
    if (!written) return std::unexpected(cannot_write(artifact, written.error().value));
    return {};
  });
  if (!passed) return fail(passed.error());
  // What NFS, or a file system behind FUSE, could not write after all it tells at a close.
  const int again = ::fcntl(made.file.get(), F_DUPFD_CLOEXEC, 0);
  if (again < 0 || ::close(again) != 0) return fail(cannot_write(artifact, errno));
  if (*passed != artifact.sha256) return fail(damaged(artifact, "has just changed"));
  const int error = give_place(spot, made);
  if (error == 0) return {};
  if (error != EEXIST || !is_same(spot, artifact)) return fail(cannot_write(artifact, error));
  drop(spot, made);
  return {};
}

}  // namespace sbx::artifacts
