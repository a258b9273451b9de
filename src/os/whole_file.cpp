#include "os/whole_file.hpp"

#include <unistd.h>

#include <cerrno>

#include "base/fail.hpp"

namespace sbx::os {

SysResult<void> write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::unexpected(Errno{n < 0 ? errno : EIO});
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

SysResult<std::string> read_all(int fd) {
  std::string text;
  char bytes[65536];
  for (;;) {
    const ssize_t n = ::read(fd, bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail();
    if (n == 0) return text;
    text.append(bytes, static_cast<std::size_t>(n));
  }
}

}  // namespace sbx::os
