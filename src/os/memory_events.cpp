#include "os/memory_events.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "os/cgroup_stats.hpp"

namespace sbx::os {

MemoryEvents::MemoryEvents(int dir_fd)
    : file_(::openat(dir_fd, "memory.events", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) {}

std::optional<std::uint64_t> MemoryEvents::high() {
  char text[1024];  // seven short lines
  ssize_t got = 0;
  // From the start each time: showing the file anew is what kernfs takes for having seen the change
  // (fs/kernfs/file.c, kernfs_generic_poll()).
  do got = ::pread(file_.get(), text, sizeof text, 0);
  while (got < 0 && errno == EINTR);
  if (got <= 0) return std::nullopt;
  return keyed_figure(std::string_view(text, static_cast<std::size_t>(got)), "high");
}

}  // namespace sbx::os
