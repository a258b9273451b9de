// Attacks on files: reading, writing, finding, linking and marking what the plan does not grant.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "verdict.hpp"

namespace probe {
namespace {

std::string read_all(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(fd, buffer, sizeof buffer)) > 0 && text.size() < (1U << 20U);) {
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text;
}

Verdict open_read(Args args) {
  const int fd = open(args[0], O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  return judge(fd, std::string("open for reading ") + args[0]);
}

/// Opens, never writes: safe to run as root in a control run. ETXTBSY means that only the running
/// program stands in the way, which ends with the program (CVE-2019-5736).
Verdict open_write(Args args) {
  const std::string what = std::string("open for writing ") + args[0];
  const int fd = open(args[0], O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 && errno == ETXTBSY) {
    // The kernel asks whether the program runs before it asks whether the mount is read-only.
    struct statvfs fs{};
    if (statvfs(args[0], &fs) == 0 && (fs.f_flag & ST_RDONLY) != 0) return contained(what, EROFS);
    return escaped(what + " fails with ETXTBSY only");
  }
  return judge(fd, what);
}

/// Who has a lease keeps everybody else from opening the file, for /proc/sys/fs/lease-break-time.
Verdict lease(Args args) {
  const int fd = open(args[0], O_RDONLY | O_CLOEXEC);
  if (fd < 0) return contained("open", errno);
  const int leased = fcntl(fd, F_SETLEASE, F_WRLCK);
  const int read = leased == 0 ? 0 : fcntl(fd, F_SETLEASE, F_RDLCK);
  return judge(read, std::string("lease ") + args[0]);
}

/// Makes a file in a directory, then takes it away again.
Verdict create_in(Args args) {
  const std::string path = std::string(args[0]) + "/sbx-probe-" + std::to_string(getpid());
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  Verdict verdict = judge(fd, "create " + path);
  if (fd >= 0) unlink(path.c_str());
  return verdict;
}

/// Makes a file and leaves it, so that the host can look at its owner.
Verdict leave_file(Args args) {
  const int fd = open(args[0], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd >= 0 && write(fd, "payload\n", 8) != 8) return untestable("write", errno);
  return judge(fd, std::string("left ") + args[0]);
}

Verdict finds(Args args) {
  struct stat st{};
  return judge(lstat(args[0], &st), std::string("lstat ") + args[0]);
}

/// An absent or an empty directory shows nothing.
Verdict lists(Args args) {
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(args[0]), closedir);
  if (!dir) return contained(std::string("opendir ") + args[0], errno);
  std::string names;
  while (const dirent* entry = readdir(dir.get())) {
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
    names += std::string(" ") + entry->d_name;
  }
  if (names.empty()) return contained(std::string(args[0]) + " is empty");
  return escaped(std::string(args[0]) + " shows" + names);
}

/// Escaped when PATH has anything to read.
Verdict reads(Args args) {
  const int fd = open(args[0], O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return contained(std::string("open ") + args[0], errno);
  char byte = 0;
  const ssize_t n = read(fd, &byte, 1);
  if (n < 0) return contained(std::string("read ") + args[0], errno);
  return n == 0 ? contained(std::string(args[0]) + " is empty")
                : escaped(std::string("read from ") + args[0]);
}

Verdict file_holds(Args args) {
  const int fd = open(args[0], O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return contained(std::string("open ") + args[0], errno);
  if (read_all(fd).find(args[1]) == std::string::npos) {
    return contained(std::string(args[0]) + " does not hold it");
  }
  return escaped(std::string(args[0]) + " holds the text");
}

/// Walks up from the working directory, as far as it goes, to a host path (CVE-2024-21626).
Verdict climb(Args args) {
  std::string path;
  for (int i = 0; i < 40; ++i) path += "../";
  path += args[0] + std::strspn(args[0], "/");
  char cwd[4096];
  // Raw: glibc hides the kernel's "(unreachable)" prefix behind ENOENT.
  if (syscall(SYS_getcwd, cwd, sizeof cwd) > 0 && cwd[0] != '/') {
    return escaped(std::string("the working directory is ") + cwd);
  }
  struct stat st{};
  return judge(stat(path.c_str(), &st), "climb to " + std::string(args[0]));
}

Verdict make_link(Args args) {
  if (link(args[0], args[1]) == 0) return escaped("link()");
  const int error = errno;
  if (linkat(AT_FDCWD, args[0], AT_FDCWD, args[1], AT_SYMLINK_FOLLOW) == 0)
    return escaped("linkat");
  const int fd = open(args[0], O_PATH | O_CLOEXEC);
  const std::string magic = "/proc/self/fd/" + std::to_string(fd);
  if (fd >= 0 && linkat(AT_FDCWD, magic.c_str(), AT_FDCWD, args[1], AT_SYMLINK_FOLLOW) == 0) {
    return escaped("linkat through /proc/self/fd");
  }
  if (rename(args[0], args[1]) == 0) return escaped("rename()");
  return contained("link and rename", error);
}

bool has_special_bits(const std::string& path) {
  struct stat st{};
  return lstat(path.c_str(), &st) == 0 && (st.st_mode & (S_ISUID | S_ISGID)) != 0;
}

/// Every way to leave a set-user-ID or set-group-ID file: with an idmapped mount it would belong to
/// the caller, also when that is root.
Verdict make_setuid(Args args) {
  const std::string base = std::string(args[0]) + "/setuid-";
  const mode_t mode = S_ISUID | S_ISGID | 0755;
  const auto plain = [&](const char* name) {
    const std::string path = base + name;
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0755);
    if (fd >= 0) close(fd);
    return path;
  };
  umask(0);
  struct {
    std::uint64_t flags = O_CREAT | O_WRONLY, mode = 06755, resolve = 0;
  } how;
  std::string path = plain("chmod");
  if (access(path.c_str(), F_OK) != 0) return untestable("no file could be made", errno);
  std::string worked;
  const auto note = [&](const char* name, const std::string& made) {
    if (has_special_bits(made)) worked += std::string(" ") + name;
  };
  (void)!chmod(path.c_str(), mode);
  note("chmod", path);
  const int fd = open((path = plain("fchmod")).c_str(), O_RDWR | O_CLOEXEC);
  (void)!fchmod(fd, mode);
  note("fchmod", path);
  (void)!syscall(SYS_fchmodat, AT_FDCWD, (path = plain("fchmodat")).c_str(), mode);
  note("fchmodat", path);
  (void)!syscall(452 /* fchmodat2 */, AT_FDCWD, (path = plain("fchmodat2")).c_str(), mode, 0);
  note("fchmodat2", path);
#if defined(SYS_open)  // newer machines (arm64) have only what replaced these
  (void)!syscall(SYS_open, (path = base + "open").c_str(), O_CREAT | O_WRONLY, mode);
  note("open", path);
  (void)!syscall(SYS_creat, (path = base + "creat").c_str(), mode);
  note("creat", path);
  (void)!syscall(SYS_mknod, (path = base + "mknod").c_str(), S_IFREG | mode, 0);
  note("mknod", path);
#endif
  (void)!syscall(SYS_openat, AT_FDCWD, (path = base + "openat").c_str(), O_CREAT | O_WRONLY, mode);
  note("openat", path);
  (void)!syscall(SYS_openat2, AT_FDCWD, (path = base + "openat2").c_str(), &how, sizeof how);
  note("openat2", path);
  (void)!syscall(SYS_mknodat, AT_FDCWD, (path = base + "mknodat").c_str(), S_IFREG | mode, 0);
  note("mknodat", path);
  return worked.empty() ? contained("no setuid file") : escaped("setuid file by" + worked);
}

Verdict make_device(Args args) {
  const std::string path = std::string(args[0]) + "/sbx-probe-device";
  std::string worked;
  int error = 0;
  for (const mode_t type : {S_IFCHR, S_IFBLK}) {
    const dev_t device = type == S_IFCHR ? makedev(1, 1) : makedev(7, 0);
    if (mknod(path.c_str(), type | 0600, device) == 0) {
      worked += type == S_IFCHR ? " character" : " block";
      unlink(path.c_str());
    } else {
      error = errno;
    }
  }
  return worked.empty() ? contained("mknod", error) : escaped("made device:" + worked);
}

/// The "shocker": a handle opens any inode of the file system, whatever is mounted where.
Verdict open_handle(Args args) {
  alignas(file_handle) char room[sizeof(file_handle) + MAX_HANDLE_SZ];
  auto* handle = reinterpret_cast<file_handle*>(room);
  handle->handle_bytes = MAX_HANDLE_SZ;
  int mount_id = 0;
  const int at = open(args[0], O_RDONLY | O_CLOEXEC);
  if (at < 0) return untestable(std::string("open ") + args[0], errno);
  if (name_to_handle_at(AT_FDCWD, args[0], handle, &mount_id, 0) != 0) {
    // Then a made-up handle shows whether the call is reached: 2 is ext4's root inode.
    handle->handle_bytes = 8;
    handle->handle_type = 1;
    const int root[2] = {2, 0};
    std::memcpy(handle->f_handle, root, sizeof root);
  }
  return judge(open_by_handle_at(at, handle, O_RDONLY), "open_by_handle_at");
}

constexpr Verb kVerbs[] = {
    {"open-read", "PATH", 1, open_read},
    {"open-write", "PATH", 1, open_write},
    {"lease", "PATH", 1, lease},
    {"create-in", "DIR", 1, create_in},
    {"leave-file", "PATH", 1, leave_file},
    {"finds", "PATH", 1, finds},
    {"lists", "DIR", 1, lists},
    {"reads", "PATH", 1, reads},
    {"file-holds", "PATH TEXT", 2, file_holds},
    {"climb", "PATH", 1, climb},
    {"link", "FROM TO", 2, make_link},
    {"make-setuid", "DIR", 1, make_setuid},
    {"make-device", "DIR", 1, make_device},
    {"open-handle", "PATH", 1, open_handle},
};

}  // namespace

std::span<const Verb> file_verbs() { return kVerbs; }

}  // namespace probe
