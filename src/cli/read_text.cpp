#include "cli/read_text.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace sbx::cli {
namespace {

constexpr std::size_t kLongest = std::size_t{1} << 20U;

std::unexpected<Error> failed(const TextFile& file, std::string what, int error = 0) {
  return std::unexpected(Error{file.kind, std::move(what), file.name, {}, error});
}

}  // namespace

Result<std::string> read_text(int fd, const TextFile& file) {
  const std::string what(file.what);
  struct stat about{};
  if (::fstat(fd, &about) != 0) return failed(file, "cannot read " + what, errno);
  const bool pipe = file.may_be_pipe && S_ISFIFO(about.st_mode);
  if (!S_ISREG(about.st_mode) && !pipe) return failed(file, what + " is not a file");
  std::string text;
  std::array<char, 16384> piece{};
  while (text.size() <= kLongest) {
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got == 0 && text.empty() && pipe) return failed(file, "nobody has written to this FIFO");
    if (got == 0) return text;
    if (got > 0) {
      text.append(piece.data(), static_cast<std::size_t>(got));
    } else if (errno == EAGAIN) {
      struct pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return failed(file, "cannot read " + what, errno);
    }
  }
  return failed(file, what + " is longer than 1 MiB");
}

}  // namespace sbx::cli
