#include "cli/batch/output.hpp"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <utility>
#include <vector>

#include "base/fail.hpp"
#include "base/lexical_path.hpp"
#include "base/text.hpp"
#include "cli/files.hpp"
#include "os/lines.hpp"

namespace sbx::cli::batch {
namespace {

constexpr std::size_t kLongestResult = std::size_t{4} << 30U;

Error failed(const std::string& target, std::string what, int error, std::string hint = {}) {
  return {.kind = ErrorKind::usage,
          .what = std::move(what),
          .where = target,
          .hint = std::move(hint),
          .sys_errno = error};
}

/// What is left of `parts` behind their first `done` bytes.
std::vector<::iovec> rest_of(std::span<const std::string_view> parts, std::size_t done) {
  std::vector<::iovec> rest;
  for (std::string_view part : parts) {
    const std::size_t skipped = std::min(done, part.size());
    done -= skipped;
    part.remove_prefix(skipped);
    if (!part.empty()) rest.push_back({const_cast<char*>(part.data()), part.size()});
  }
  return rest;
}

/// All of `parts`, in one call as far as the kernel takes them so; `done` tells how much.
SysResult<void> write_parts(int fd, std::span<const std::string_view> parts, std::size_t& done) {
  for (auto rest = rest_of(parts, 0); !rest.empty(); rest = rest_of(parts, done)) {
    const ssize_t written = ::writev(fd, rest.data(), static_cast<int>(rest.size()));
    if (written >= 0)
      done += static_cast<std::size_t>(written);
    else if (errno != EINTR)
      return fail();
  }
  return {};
}

/// Where the next write(2) goes: not to the end, if a shell opened the file with `>` and somebody
/// else has written to it.
SysResult<::off_t> place_of(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0) return fail();
  const ::off_t place = ::lseek(fd, 0, (flags & O_APPEND) != 0 ? SEEK_END : SEEK_CUR);
  if (place < 0) return fail();
  return place;
}

/// Takes `done` bytes at `place` away again, unless somebody else has written behind them. Half a
/// line would make the file one that nobody can read.
SysResult<void> take_back(int fd, ::off_t place, std::size_t done) {
  struct ::stat now{};
  if (::fstat(fd, &now) != 0) return fail();
  if (done == 0 || now.st_size != place + static_cast<::off_t>(done)) return {};
  if (::ftruncate(fd, place) != 0 || ::lseek(fd, place, SEEK_SET) < 0) return fail();
  return {};
}

/// The same to a reader who may take his time: by what fits into a pipe that poll(2) calls ready,
/// so that no write waits (pipe(7), PIPE_BUF).
SysResult<void> write_to_reader(int fd, std::span<const std::string_view> parts,
                                const Output::Interrupt& interrupt) {
  for (std::string_view part : parts) {
    while (!part.empty()) {
      ::pollfd ready[] = {{fd, POLLOUT, 0}, {interrupt.fd, POLLIN, 0}};
      if (::poll(ready, 2, -1) < 0 && errno != EINTR) return fail();
      if (ready[1].revents != 0 && interrupt.is_the_end()) return std::unexpected(Errno{EINTR});
      if (ready[0].revents == 0) continue;
      const ssize_t written =
          ::write(fd, part.data(), std::min<std::size_t>(part.size(), PIPE_BUF));
      if (written >= 0)
        part.remove_prefix(static_cast<std::size_t>(written));
      else if (errno != EINTR && errno != EAGAIN)
        return fail();
    }
  }
  return {};
}

/// Can this be what is left of a line? Where the host itself has crashed, a file system may have
/// given the file its room, and not its content: NULs. A file of nothing else is not known to be
/// ours.
bool is_torn(std::string_view text, bool first) {
  const std::string_view written = text.substr(0, text.find_last_not_of('\0') + 1);
  return sbx::batch::begins_line(written) && !(first && written.empty());
}

/// /dev/stdout, say, or what a shell makes of >(COMMAND).
bool is_systems_link(const std::string& target) {
  struct ::stat itself{};
  return names_systems_link(target) && ::lstat(target.c_str(), &itself) == 0 &&
         S_ISLNK(itself.st_mode);
}

}  // namespace

Result<Output> Output::open(const std::string& target, bool resume) {
  Output output;
  output.target_ = target;
  if (target.empty() || target == "-") {
    output.target_.clear();
    struct ::stat standard{};
    output.regular_ = ::fstat(STDOUT_FILENO, &standard) == 0 && S_ISREG(standard.st_mode);
    return output;
  }
  Patience patience;
  struct ::stat about{};
  if (target.starts_with("fd:") || is_systems_link(target)) {
    if (resume) return std::unexpected(failed(target, "--resume needs a file with a name", 0));
    output.file_ = SBX_TRY(open_stream(target, "--output", patience));
    output.regular_ = ::fstat(output.fd(), &about) == 0 && S_ISREG(about.st_mode);
    return output;
  }
  // Only what is read back is opened for reading: of a FIFO we would be a reader of our own, who
  // never goes, and whose end is nobody's.
  constexpr int kFlags = O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY;
  auto opened = open_patiently(target, kFlags | (resume ? O_RDWR : O_WRONLY), patience);
  if (!opened && is_unread(target, opened.error().value))
    return std::unexpected(failed(target, "nobody reads this FIFO", 0, kUnreadHint));
  if (!opened)
    return std::unexpected(
        failed(target, "cannot write the results there", opened.error().value,
               opened.error().value == ELOOP ? "it is a symbolic link: name the file itself" : ""));
  output.file_ = *std::move(opened);
  if (::fstat(output.file_.get(), &about) != 0)
    return std::unexpected(failed(target, "cannot write the results there", errno));
  output.regular_ = output.named_ = S_ISREG(about.st_mode);
  if (!output.regular_ && resume)
    return std::unexpected(failed(target, "--resume needs a file", 0));
  if (output.regular_ && ::flock(output.file_.get(), LOCK_EX | LOCK_NB) != 0)
    return std::unexpected(
        failed(target, "another batch writes its results there right now", errno));
  // Looked at under the lock: the other one may have ended just now.
  if (::fstat(output.file_.get(), &about) != 0)
    return std::unexpected(failed(target, "cannot write the results there", errno));
  if (output.regular_ && !resume && about.st_size > 0)
    return std::unexpected(failed(target, "there is something in it already", 0,
                                  "--resume goes on with a batch; or name another file"));
  return output;
}

Result<void> Output::read_back(
    const std::function<Result<void>(const sbx::batch::Written&)>& take) {
  os::LineReader reader(file_.get(), kLongestResult);
  for (std::size_t number = 1;; ++number) {
    const std::string where = target_ + ":" + std::to_string(number);
    const auto line = reader.next();
    if (!line) return std::unexpected(failed(where, "cannot read the results", line.error().value));
    if (!*line) return {};
    if (!(*line)->ended && !is_torn((*line)->text, number == 1))
      return std::unexpected(failed(where, "this is no result of a batch, whole or torn", 0,
                                    "--resume goes on with a file that a batch has written"));
    if (!(*line)->ended) {
      // Torn: whoever wrote it was killed. The job has no result, then.
      if (::ftruncate(file_.get(), static_cast<off_t>((*line)->offset)) != 0)
        return std::unexpected(failed(where, "cannot drop the torn last line", errno));
      return {};
    }
    auto written = sbx::batch::read_line((*line)->text);
    auto done = written ? take(*written) : std::unexpected(std::move(written).error());
    if (done) continue;
    Error error = std::move(done).error();
    error.where = where;
    return std::unexpected(std::move(error));
  }
}

int Output::fd() const { return file_.valid() ? file_.get() : STDOUT_FILENO; }

SysResult<void> Output::append(std::string_view line, std::string_view tail,
                               const Interrupt& interrupt) {
  const std::array parts{line, tail};
  if (!regular_) return write_to_reader(fd(), parts, interrupt);
  const ::off_t place = SBX_TRY(place_of(fd()));
  std::size_t done = 0;
  const auto written = write_parts(fd(), parts, done);
  if (!written) SBX_CHECK(take_back(fd(), place, done));
  return written;
}

std::string Output::after_failure() const {
  if (resumable()) return "what is written is whole; --resume does the rest";
  if (regular_) return "what is written is whole; with -o FILE, --resume could do the rest";
  return "its last line may be torn; with -o FILE, --resume could do the rest";
}

SysResult<void> Output::flush() {
  if (regular_ && ::fdatasync(fd()) != 0) return fail();
  return {};
}

}  // namespace sbx::cli::batch
