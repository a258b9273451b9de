#include "os/cgroup_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/fail.hpp"
#include "os/cgroup_find.hpp"
#include "os/fd.hpp"

namespace sbx::os {

SysResult<void> write_control(int dir_fd, const char* file, std::string_view value) {
  const UniqueFd out(::openat(dir_fd, file, O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!out.valid()) return fail();
  ssize_t done = 0;
  do done = ::write(out.get(), value.data(), value.size());
  while (done < 0 && errno == EINTR);
  if (done < 0) return fail();
  return {};
}

SysResult<void> write_control_lines(int dir_fd, const char* file, std::string_view value) {
  while (!value.empty()) {
    const std::size_t end = value.find('\n');
    const std::string_view line = value.substr(0, end);
    value.remove_prefix(end == std::string_view::npos ? value.size() : end + 1);
    if (!line.empty()) SBX_CHECK(write_control(dir_fd, file, line));
  }
  return {};
}

SysResult<void> make_group_folder(int parent_fd, const char* name, int tolerated,
                                  GroupFolder kind) {
  // Whoever watches the host may read the files, whatever the caller's umask: chmod would cost
  // more. Nobody else may open a run's folder itself, and so hold a lock on it, for which flock(2)
  // wants no right to write: it would delay the start, and keep for ever what a killed supervisor
  // left.
  const ::mode_t kept = ::umask(022);
  const int made = ::mkdirat(parent_fd, name, kind == GroupFolder::shared ? 0755 : 0711);
  const int error = errno;
  ::umask(kept);
  if (made != 0 && error != tolerated) return std::unexpected(Errno{error});
  return {};
}

SysResult<std::string> look_at_kernel_text(const std::string& path, std::size_t most) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return fail();
  std::string text;
  char chunk[8192];
  ssize_t got = 0;
  while (text.size() < most && (got = ::read(file.get(), chunk, sizeof chunk)) != 0) {
    if (got < 0 && errno != EINTR) return fail();
    if (got > 0) text.append(chunk, static_cast<std::size_t>(got));
  }
  return text;
}

std::string read_kernel_text(const std::string& path, std::size_t most) {
  return look_at_kernel_text(path, most).value_or(std::string());
}

std::string read_control(int dir_fd, const char* file) {
  const UniqueFd in(::openat(dir_fd, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  char text[4096];
  const ssize_t got = in.valid() ? ::read(in.get(), text, sizeof text) : -1;
  std::string line(text, got > 0 ? static_cast<std::size_t>(got) : 0);
  line.resize(std::min(line.size(), line.find('\n')));
  return line;
}

SysResult<void> hand_down(int dir_fd, const std::vector<std::string>& controllers) {
  if (controllers.empty()) return {};
  const std::vector<std::string> enabled =
      words_of(read_control(dir_fd, "cgroup.subtree_control"), ' ');
  for (const std::string& controller : controllers) {
    if (std::ranges::find(enabled, controller) != enabled.end()) continue;
    SBX_CHECK(write_control(dir_fd, "cgroup.subtree_control", "+" + controller));
  }
  return {};
}

}  // namespace sbx::os
