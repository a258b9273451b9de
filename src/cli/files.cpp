#include "cli/files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <utility>

#include "base/fail.hpp"
#include "base/lexical_path.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/read_text.hpp"
#include "cli/say.hpp"

namespace sbx::cli {
namespace {

constexpr int kCommon = O_CLOEXEC | O_NOCTTY;

std::unexpected<Error> failed(ErrorKind kind, std::string_view where, std::string what, int error,
                              std::string hint = {}) {
  return std::unexpected(Error{kind, std::move(what), std::string(where), std::move(hint), error});
}

/// Our own close-on-exec copy of the descriptor in "fd:N".
Result<os::UniqueFd> copy_descriptor(const std::string& target, std::string_view flag) {
  const int number = parse_number<int>(std::string_view(target).substr(3)).value_or(-1);
  if (number < 0)
    return failed(ErrorKind::usage, flag, quote(target) + " is not of the form fd:N", 0);
  if (number <= STDERR_FILENO)
    return failed(ErrorKind::usage, flag, target + " belongs to the command", 0,
                  "open another one: " + std::string(flag) + " fd:3 3>FILE");
  const int flags = ::fcntl(number, F_GETFL);
  if (flags < 0) return failed(ErrorKind::usage, flag, target + " is not open", errno);
  if ((flags & O_PATH) != 0 || (flags & O_ACCMODE) == O_RDONLY)
    return failed(ErrorKind::usage, flag, target + " is not open for writing", 0);
  os::UniqueFd copy(::fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!copy.valid()) return failed(ErrorKind::host, flag, "cannot copy " + target, errno);
  return copy;
}

/// Files are made or replaced; anything else (a FIFO, a terminal, /dev/null) is written to.
enum class TargetKind { file, stream };

Result<TargetKind> look_at(const std::string& target, std::string_view flag) {
  struct stat itself{};
  struct stat behind{};
  if (::lstat(target.c_str(), &itself) != 0) {
    if (errno == ENOENT) return TargetKind::file;
    return failed(ErrorKind::usage, flag, "cannot write " + quote(target), errno);
  }
  if (S_ISDIR(itself.st_mode))
    return failed(ErrorKind::usage, flag, quote(target) + " is a folder", 0, "name a file in it");
  if (!S_ISLNK(itself.st_mode))
    return S_ISREG(itself.st_mode) ? TargetKind::file : TargetKind::stream;
  const bool found = ::stat(target.c_str(), &behind) == 0;
  const bool stream = found && !S_ISREG(behind.st_mode) && !S_ISDIR(behind.st_mode);
  if (stream && names_systems_link(target)) return TargetKind::stream;
  // Replacing it would leave the file behind as it was; /dev/stdout on a file is such a link too.
  // And where a payload may write, one to a device is its own: the caller's disk, say.
  return failed(
      ErrorKind::usage, flag,
      quote(target) + " is a symbolic link to " + (stream ? "a device or FIFO" : "a file"), 0,
      stream ? "name that itself, or use fd:N" : "name the file itself, or use fd:N");
}

Result<os::UniqueFd> open_existing(const std::string& target, std::string_view flag,
                                   Patience& patience) {
  const int follow = names_systems_link(target) ? 0 : O_NOFOLLOW;
  auto opened = open_patiently(target, O_WRONLY | follow | kCommon, patience);
  if (opened) return *std::move(opened);
  const int error = opened.error().value;
  if (is_unread(target, error))
    return failed(ErrorKind::usage, flag, "nobody reads the FIFO " + quote(target), 0, kUnreadHint);
  return failed(ErrorKind::usage, flag, "cannot write " + quote(target), error);
}

std::string temporary_name() {
  struct timespec now{};
  static_cast<void>(::clock_gettime(CLOCK_MONOTONIC, &now));  // cannot fail for this clock
  std::array<char, 48> unique{};
  (void)std::snprintf(unique.data(), unique.size(), ".sbx-%d-%lld%09ld",
                      static_cast<int>(::getpid()), static_cast<long long>(now.tv_sec),
                      now.tv_nsec);
  return unique.data();
}

/// Gives the nameless file `fd` the name `to`; fails with EEXIST when there is one.
SysResult<void> name_file(int fd, int folder, const std::string& to) {
  const std::string magic = "/proc/self/fd/" + std::to_string(fd);
  if (::linkat(AT_FDCWD, magic.c_str(), folder, to.c_str(), AT_SYMLINK_FOLLOW) != 0) return fail();
  return {};
}

}  // namespace

Result<std::string> current_directory() {
  std::array<char, PATH_MAX> buffer{};
  const bool found = ::getcwd(buffer.data(), buffer.size()) != nullptr;
  // Where the kernel finds it too long, glibc looks for it itself, and has no more room either.
  if (!found && (errno == ERANGE || errno == ENAMETOOLONG))
    return failed(ErrorKind::host, {},
                  "the path of the current directory is longer than the kernel takes (" +
                      std::to_string(PATH_MAX - 1) + " bytes), and a sandbox needs folders by path",
                  0, "change to a folder with a shorter path, or give one above it a shorter name");
  // What is asked for may need none; all that does, fails by itself.
  if (!found && errno == ENOENT) return kRemovedDirectory;
  if (!found)
    return failed(ErrorKind::host, {}, "the current directory cannot be found", errno,
                  "change to a directory that exists and that you may read");
  // getcwd(3): a directory outside of our root has no name.
  if (buffer[0] != '/')
    return failed(ErrorKind::host, {}, "the current directory is not reachable", 0);
  return std::string(buffer.data());
}

Result<std::string> read_profile(const std::string& path, ProfileFile how) {
  const std::string name = printable(path, std::string_view::npos);
  // Non-blocking: opening a FIFO that nobody writes to would wait for ever.
  const os::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | kCommon));
  if (!fd.valid()) return failed(ErrorKind::profile, name, "cannot read this profile", errno);
  return read_text(fd.get(), {.kind = ErrorKind::profile,
                              .name = name,
                              .what = "this profile",
                              .may_be_pipe = how == ProfileFile::named});
}

bool Patience::wait() {
  constexpr int kPauseMs = 10;
  if (left_ms_ <= 0) return false;
  left_ms_ -= kPauseMs;
  (void)::poll(nullptr, 0, kPauseMs);
  return true;
}

bool is_unread(const std::string& target, int error) {
  struct stat about{};
  return error == ENXIO && ::stat(target.c_str(), &about) == 0 && S_ISFIFO(about.st_mode);
}

SysResult<os::UniqueFd> open_patiently(const std::string& target, int flags, Patience& patience) {
  for (;;) {
    os::UniqueFd fd(::open(target.c_str(), flags | O_NONBLOCK, 0666));
    if (fd.valid() && ::fcntl(fd.get(), F_SETFL, flags & O_APPEND) == 0) return fd;
    const Errno error{errno};
    if (!is_unread(target, error.value) || !patience.wait()) return std::unexpected(error);
  }
}

Result<ResultFile> ResultFile::open(const std::string& target, std::string_view flag,
                                    Patience& patience) {
  ResultFile result;
  result.target_ = target;
  result.flag_ = flag;
  if (target.starts_with("fd:")) {
    result.fd_ = SBX_TRY(copy_descriptor(target, flag));
    return result;
  }
  if (SBX_TRY(look_at(target, flag)) == TargetKind::stream) {
    result.fd_ = SBX_TRY(open_existing(target, flag, patience));
    return result;
  }
  const std::size_t slash = target.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : target.substr(0, slash + 1);
  result.name_ = slash == std::string::npos ? target : target.substr(slash + 1);
  if (result.name_.empty())
    return failed(ErrorKind::usage, flag, quote(target) + " names no file", 0);
  result.folder_.reset(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!result.folder_.valid())
    return failed(ErrorKind::usage, flag, "cannot write into " + quote(folder), errno);
  if (::faccessat(result.folder_.get(), ".", W_OK | X_OK, AT_EACCESS) != 0)
    return failed(ErrorKind::usage, flag, "cannot write into " + quote(folder), errno);
  struct stat about{};
  // Who may write there all the same, in a current directory that has been removed, makes nothing.
  if (::fstat(result.folder_.get(), &about) == 0 && about.st_nlink == 0)
    return failed(ErrorKind::usage, flag, "cannot write into " + quote(folder), ENOENT);
  return result;
}

SysResult<void> ResultFile::replace(std::string_view text) const {
  const int folder = folder_.get();
  const std::string temporary = temporary_name();
  // A nameless file leaves nothing when we are killed; not every file system has them.
  os::UniqueFd fd(::openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
  if (fd.valid()) {
    SBX_CHECK(write_all(fd.get(), text));
    const SysResult<void> named = name_file(fd.get(), folder, name_);
    if (named || named.error().value != EEXIST) return named;
    SBX_CHECK(name_file(fd.get(), folder, temporary));  // linkat(2) does not replace
  } else {
    fd.reset(::openat(folder, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | kCommon, 0666));
    if (!fd.valid()) return fail();
    if (const SysResult<void> written = write_all(fd.get(), text); !written) {
      ::unlinkat(folder, temporary.c_str(), 0);
      return written;
    }
  }
  if (::renameat(folder, temporary.c_str(), folder, name_.c_str()) == 0) return {};
  const Errno error{errno};
  ::unlinkat(folder, temporary.c_str(), 0);
  return std::unexpected(error);
}

Result<void> ResultFile::write(std::string_view json) const {
  const SysResult<void> done = replace(std::string(json) + "\n");
  if (!done)
    return failed(ErrorKind::host, flag_, "cannot write " + quote(target_), done.error().value);
  return {};
}

bool same_file(const std::string& one, const std::string& other) {
  struct stat here{};
  struct stat there{};
  const std::size_t a = one.rfind('/') + 1;  // 0: it has no folder
  const std::size_t b = other.rfind('/') + 1;
  return one.substr(a) == other.substr(b) && !one.empty() && !other.empty() &&
         ::stat(a == 0 ? "." : one.substr(0, a).c_str(), &here) == 0 &&
         ::stat(b == 0 ? "." : other.substr(0, b).c_str(), &there) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

Result<os::UniqueFd> open_stream(const std::string& target, std::string_view flag,
                                 Patience& patience) {
  if (target.starts_with("fd:")) return copy_descriptor(target, flag);
  if (SBX_TRY(look_at(target, flag)) == TargetKind::stream)
    return open_existing(target, flag, patience);
  os::UniqueFd fd(::open(target.c_str(),
                         O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | kCommon, 0666));
  if (!fd.valid()) return failed(ErrorKind::usage, flag, "cannot write " + quote(target), errno);
  return fd;
}

}  // namespace sbx::cli
