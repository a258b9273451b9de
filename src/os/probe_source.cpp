// Resolves a bind source once, to the canonical path that the plan will show and bind. Runs in the
// supervisor, before the plan is made.
#include "os/probe_source.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/fixed_text.hpp"
#include "base/lexical_path.hpp"
#include "os/fd.hpp"
#include "os/mount.hpp"

namespace sbx::os {
namespace {

/// openat2(2) until it is not disturbed by a rename beside it (EAGAIN is documented for that).
UniqueFd open_beneath(int base, const char* path) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  constexpr int kAttempts = 32;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const long fd = syscall(SYS_openat2, base, path, &how, sizeof how);
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR)) return UniqueFd(static_cast<int>(fd));
  }
  return {};
}

struct Source {
  UniqueFd fd{};
  std::string path{};  ///< where it is without links; empty: the kernel has to be asked
};

Source open_source(const SourceRequest& request, const std::string& cwd) {
  // The kernel itself has said where that is. While no link stands on the way it is there still,
  // and need not be asked for the name of an open file, which takes it 10 to 15 us. Other texts are
  // somebody's: where a file system does not tell letters apart, one folder has several.
  if (request.source == "." && request.base == cwd && !cwd.empty())
    if (auto found = open_path_strict(cwd.c_str())) return {std::move(*found), cwd};
  if (request.source.starts_with('/'))
    return {.fd = UniqueFd(open(request.source.c_str(), O_PATH | O_CLOEXEC))};
  const UniqueFd base(open(request.base.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!base.valid()) return {};
  return {.fd = open_beneath(base.get(), request.source.c_str())};
}

std::string problem_of(const SourceRequest& request, int error) {
  const std::string& name = request.source;
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      if (request.base == kRemovedDirectory && !name.starts_with('/'))
        return "the current directory has been removed";
      return {};  // it is just not there
    case EXDEV:
      return name + " leads outside of " + request.base +
             "; write the absolute path if that is meant";
    case ELOOP:
      return name + " goes through too many symbolic links, or through one of /proc";
    case EACCES:
      return name + " cannot be reached: permission denied on the way to it";
    case EPERM:
    case ENOSYS:
      return name + " cannot be resolved safely: openat2 is refused here";
    case EMFILE:
    case ENFILE:
      return name + " cannot be opened";
    default:
      return name + " cannot be opened: " + strerror(error);
  }
}

/// The kernel's own path of an open file; empty when that path does not lead back to it (removed,
/// renamed meanwhile, or outside of what this process sees).
std::string path_of(int fd, const struct stat& facts) {
  const auto link = FixedText<32>().add("/proc/self/fd/").add(fd);
  char text[PATH_MAX];
  const ssize_t length = readlink(link.c_str(), text, sizeof text);
  if (length <= 0 || length == sizeof text || text[0] != '/') return {};
  std::string path(text, static_cast<std::size_t>(length));
  struct stat again{};
  if (lstat(path.c_str(), &again) != 0) return {};
  if (again.st_dev != facts.st_dev || again.st_ino != facts.st_ino) return {};
  return path;
}

/// The disk below a file system as "major:minor"; empty when it has none (tmpfs, overlay, btrfs,
/// NFS). Cgroups limit whole disks and refuse a partition (ENODEV), so that is left for its disk.
std::string disk_of(dev_t device) {
  if (major(device) == 0) return {};
  std::string number = std::to_string(major(device)) + ":" + std::to_string(minor(device));
  const std::string folder = "/sys/dev/block/" + number;
  if (access((folder + "/partition").c_str(), F_OK) == 0) {
    const UniqueFd file(open((folder + "/../dev").c_str(), O_RDONLY | O_CLOEXEC));
    char text[32];
    const ssize_t got = file.valid() ? read(file.get(), text, sizeof text) : -1;
    if (got <= 1) return {};
    return {text, static_cast<std::size_t>(got) - 1};  // without the newline
  }
  return number;
}

}  // namespace

SourceFacts look_at_source(const SourceRequest& request, bool disk, const std::string& cwd) {
  SourceFacts found;
  if (request.source.empty() || request.source.contains('\0')) {
    found.problem = "the source is empty or holds a null byte";
    return found;
  }
  Source source = open_source(request, cwd);
  if (!source.fd.valid()) {
    const int error = errno;
    found.error = error;
    found.problem = problem_of(request, error);
    // None of these says anything about the source.
    if (error == EPERM || error == ENOSYS || error == EMFILE || error == ENFILE)
      found.refused = error;
    return found;
  }
  struct stat facts{};
  if (fstat(source.fd.get(), &facts) != 0) {
    found.problem = problem_of(request, errno);
    return found;
  }
  found.path = source.path.empty() ? path_of(source.fd.get(), facts) : std::move(source.path);
  if (found.path.empty()) {
    found.problem = request.source + " was removed, or has no path that this process can see";
    return found;
  }
  found.exists = true;
  // Sockets, FIFOs and devices are bound as a file is; what they may do is the mount's business.
  found.type = S_ISDIR(facts.st_mode) ? EntryType::directory : EntryType::file;
  found.special = !S_ISDIR(facts.st_mode) && !S_ISREG(facts.st_mode);
  found.uid = facts.st_uid;
  found.gid = facts.st_gid;
  if (!disk) return found;
  found.device = disk_of(facts.st_dev);
  struct ::statfs system{};
  found.in_memory = ::fstatfs(source.fd.get(), &system) == 0 &&
                    (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC);
  return found;
}

}  // namespace sbx::os
