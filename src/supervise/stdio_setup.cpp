// Runs in the supervisor, before the launch.
#include "supervise/stdio_setup.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "os/open_without_links.hpp"

namespace sbx::supervise {
namespace {

// Large enough that one side rarely waits for the other; also what an ordinary user may ask for
// (/proc/sys/fs/pipe-max-size).
constexpr std::size_t kPipe = std::size_t{1024} * 1024;

FileKind kind_of(int fd, const struct stat& info) {
  if (S_ISREG(info.st_mode)) return FileKind::regular;
  if (S_ISFIFO(info.st_mode)) return FileKind::fifo;
  if (S_ISSOCK(info.st_mode)) return FileKind::socket;
  if (S_ISDIR(info.st_mode)) return FileKind::directory;
  if (S_ISCHR(info.st_mode)) {
    if (info.st_rdev == makedev(1, 3)) return FileKind::null_device;
    if (::isatty(fd) == 1) return FileKind::terminal;
  }
  return FileKind::device;
}

Error setup_error(std::string what) {
  return Error{.kind = ErrorKind::setup, .what = std::move(what), .sys_errno = errno};
}

/// bwrap(1) mounts what it binds nodev.
Error no_null_device() {
  Error error = setup_error("cannot open /dev/null");
  struct statvfs mount{};
  if (::statvfs("/dev/null", &mount) == 0 && (mount.f_flag & ST_NODEV) != 0) {
    error.cause = "/dev is mounted nodev, so that no device can be opened";
    error.hint = "mount it with devices: bwrap --dev /dev";
  }
  return error;
}

Result<os::Pipe> open_pipe(std::size_t capacity) {
  auto pipe = os::make_pipe(capacity);
  if (!pipe)
    return std::unexpected(Error{.kind = ErrorKind::setup,
                                 .what = "cannot make a pipe for the payload's output",
                                 .sys_errno = pipe.error().value});
  return std::move(*pipe);
}

}  // namespace

Result<os::UniqueFd> open_input(const std::string& path) {
  os::UniqueFd file = os::open_without_links(path);
  Error error{.kind = ErrorKind::profile, .what = "cannot use " + path + " as stdin"};
  if (!file.valid()) {
    error.sys_errno = errno;
    if (errno == ELOOP) error.hint = "it is a symbolic link; name the file itself";
    if (errno == EXDEV) error.hint = "it leads out of the current directory; name the file itself";
    return std::unexpected(std::move(error));
  }
  struct stat info{};
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    error.what += ": it is not a regular file";
    error.hint = path == "/dev/null" ? "use `stdin: null`, which is that"
                                     : "use `stdin: inherit` and redirect";
    return std::unexpected(std::move(error));
  }
  return file;
}

namespace {

Result<os::UniqueFd> open_input_file(const plan::Supervision& supervision) {
  auto file = open_input(supervision.input_file);
  if (file) return file;
  Error error = std::move(file).error();
  error.where = supervision.input_where;
  if (error.hint.empty())
    error.hint = "name an existing file that you may read, or null, or inherit";
  return std::unexpected(std::move(error));
}

Result<int> open_payload_input(Stdio& stdio, const plan::Supervision& supervision) {
  switch (stdio.routes.in) {
    case Route::null:
      return stdio.null.get();
    case Route::file:
      stdio.input_file = SBX_TRY(open_input_file(supervision));
      break;
    case Route::relay:
    case Route::keep:
    case Route::with_stdout:
    case Route::pty:
      break;
  }
  if (supervision.tty) return -1;
  const bool from_file = stdio.input_file.valid() || stdio.caller[0].kind == FileKind::regular;
  // What is read ahead of a terminal or socket is lost to the caller: keep it small there.
  stdio.in = SBX_TRY(open_pipe(from_file ? kPipe : 0));
  return stdio.in.read.get();
}

Result<int> open_payload_output(const Stdio& stdio, Route route, os::Pipe& pipe) {
  switch (route) {
    case Route::null:
      return stdio.null.get();
    case Route::with_stdout:
      return stdio.out.write.get();
    case Route::pty:
      return -1;
    case Route::relay:
    case Route::keep:
    case Route::file:
      break;
  }
  pipe = SBX_TRY(open_pipe(kPipe));
  return pipe.write.get();
}

/// The caller's 0, 1 and 2. Error: one cannot be looked at.
Result<std::array<StreamFacts, 3>> look_at_stdio(const std::array<bool, 3>& read_only) {
  std::array<StreamFacts, 3> streams;
  for (int fd = 0; fd <= 2; ++fd) {
    struct stat info{};
    if (::fstat(fd, &info) != 0)
      return std::unexpected(setup_error("cannot look at descriptor " + std::to_string(fd)));
    FileKind kind = kind_of(fd, info);
    // What stands in for a closed stream takes nothing, so that the output's loss is told.
    if (fd != STDIN_FILENO && kind == FileKind::null_device &&
        read_only[static_cast<std::size_t>(fd)])
      kind = FileKind::device;
    streams[static_cast<std::size_t>(fd)] = {kind, info.st_dev, info.st_ino};
  }
  return streams;
}

}  // namespace

FileKind kind_of(int fd) {
  struct stat info{};
  return ::fstat(fd, &info) == 0 ? kind_of(fd, info) : FileKind::device;
}

Result<Stdio> set_up_stdio(const plan::Supervision& supervision,
                           const std::array<bool, 3>& read_only) {
  Stdio stdio;
  stdio.caller = SBX_TRY(look_at_stdio(read_only));
  stdio.routes = SBX_TRY(decide_stdio(supervision, stdio.caller));
  stdio.null.reset(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!stdio.null.valid()) return std::unexpected(no_null_device());
  stdio.payload.in = SBX_TRY(open_payload_input(stdio, supervision));
  stdio.payload.out = SBX_TRY(open_payload_output(stdio, stdio.routes.out, stdio.out));
  stdio.payload.err = SBX_TRY(open_payload_output(stdio, stdio.routes.err, stdio.err));
  return stdio;
}

void Stdio::close_payload_side() {
  in.read.reset();
  out.write.reset();
  err.write.reset();
  payload = {};
}

}  // namespace sbx::supervise
