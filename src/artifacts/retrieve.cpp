#include "artifacts/retrieve.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "os/folder.hpp"

namespace sbx::artifacts {
namespace {

constexpr std::size_t kBuffer = 256UL * 1024;

Error damaged(const Artifact& artifact, const char* how) {
  return {.kind = ErrorKind::host,
          .what = "the content of " + quote(artifact.path) + " (" + artifact.sha256 + ") " + how,
          .hint = "a run that makes the same file again puts it right"};
}

Error cannot_write(const Artifact& artifact, int error) {
  const bool link = error == ELOOP || error == ENOTDIR || error == EXDEV;
  return {
      .kind = ErrorKind::host,
      .what = "cannot write " + quote(artifact.path) + " to the folder",
      .hint = link ? "on its way is a symbolic link, or something else that is no folder: choose "
                     "an empty folder with -o"
                   : "choose another folder with -o",
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

Result<void> write_all(int fd, std::string_view bytes, const Artifact& artifact) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::unexpected(cannot_write(artifact, errno));
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
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

bool is_same(const Spot& spot, const Artifact& artifact) {
  const auto there =
      os::open_beneath(spot.folder.get(), spot.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct ::stat what{};
  if (!there || ::fstat(there->get(), &what) != 0 || !S_ISREG(what.st_mode)) return false;
  const auto found = digest_of(there->get());
  return found && *found == artifact.sha256;
}

}  // namespace

Result<os::UniqueFd> open_checked(const Opened& store, const Artifact& artifact) {
  auto file = store.objects().read(artifact.sha256);
  if (!file && file.error().value == ENOENT)
    return std::unexpected(damaged(artifact, "is missing"));
  if (!file)
    return std::unexpected(
        store_error("cannot read the content of " + quote(artifact.path), file.error().value));
  const auto nowhere = [](std::string_view) { return Result<void>{}; };
  if (SBX_TRY(pass(file->get(), artifact, nowhere)) != artifact.sha256)
    return std::unexpected(damaged(artifact, "is damaged"));
  return std::move(*file);
}

Result<void> send(int content, const Artifact& artifact, const Sink& sink) {
  if (SBX_TRY(pass(content, artifact, sink)) != artifact.sha256)
    return std::unexpected(damaged(artifact, "has just changed"));
  return {};
}

Result<void> write_below(const Opened& store, const Artifact& artifact, int to) {
  const os::UniqueFd file = SBX_TRY(open_checked(store, artifact));
  const Spot spot = SBX_TRY(make_way(artifact, to));
  const std::string hidden = ".sbx-get-" + std::to_string(::getpid());
  const os::UniqueFd made(::openat(spot.folder.get(), hidden.c_str(),
                                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!made.valid()) return std::unexpected(cannot_write(artifact, errno));
  const auto drop = [&](Error error) {
    ::unlinkat(spot.folder.get(), hidden.c_str(), 0);
    return std::unexpected(std::move(error));
  };
  const auto passed = pass(file.get(), artifact, [&](std::string_view bytes) {
    return write_all(made.get(), bytes, artifact);
  });
  if (!passed) return drop(passed.error());
  if (*passed != artifact.sha256) return drop(damaged(artifact, "has just changed"));
  if (::renameat2(spot.folder.get(), hidden.c_str(), spot.folder.get(), spot.name.c_str(),
                  RENAME_NOREPLACE) == 0)
    return {};
  const int error = errno;
  if (error != EEXIST) return drop(cannot_write(artifact, error));
  ::unlinkat(spot.folder.get(), hidden.c_str(), 0);
  if (is_same(spot, artifact)) return {};
  return std::unexpected(cannot_write(artifact, EEXIST));
}

}  // namespace sbx::artifacts
