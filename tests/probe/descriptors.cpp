// Attacks through descriptors: those that leaked in, and reopening the ones that were given.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "verdict.hpp"

namespace probe {
namespace {

constexpr int kHighest = 65536;

Verdict leaked(Args /*args*/) {
  std::string open_ones;
  for (int fd = 3; fd < kHighest; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) open_ones += " " + std::to_string(fd);
  }
  return open_ones.empty() ? contained("only 0, 1 and 2 are open")
                           : escaped("open descriptors:" + open_ones);
}

/// A leaked directory gives its whole file system back (CVE-2024-21626).
Verdict leaked_directory(Args args) {
  const std::string path =
      std::string("../../../../../../../../../../../") + (args[0] + std::strspn(args[0], "/"));
  for (int fd = 0; fd < kHighest; ++fd) {
    const int file = openat(fd, path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file >= 0) return escaped("opened " + path + " from descriptor " + std::to_string(fd));
  }
  return contained("no descriptor leads there");
}

/// Escaped when 0, 1 or 2 is the file with this device and inode number.
Verdict holds_file(Args args) {
  const auto device = std::strtoull(args[0], nullptr, 10);
  const auto inode = std::strtoull(args[1], nullptr, 10);
  for (int fd = 0; fd <= 2; ++fd) {
    struct stat st{};
    if (fstat(fd, &st) == 0 && st.st_dev == device && st.st_ino == inode) {
      return escaped("descriptor " + std::to_string(fd) + " is the caller's");
    }
  }
  return contained("0, 1 and 2 are others");
}

/// Opens a descriptor anew with rights it was not given with. A pipe or a pty of our own is no
/// file of the host, so only regular files and directories count.
Verdict reopen(Args args) {
  const std::string path = std::string("/proc/self/fd/") + args[0];
  struct stat st{};
  if (fstat(std::atoi(args[0]), &st) != 0) return untestable("fstat", errno);
  if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) return contained("not a file of the host");
  const bool writing = args.size() < 2 || std::strcmp(args[1], "read") != 0;
  const int fd = open(path.c_str(), (writing ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
  return judge(fd, path + (writing ? " reopened for writing" : " reopened for reading"));
}

/// What was written to the caller's file before is the caller's.
Verdict cut_output(Args /*args*/) {
  struct stat st{};
  if (fstat(STDOUT_FILENO, &st) != 0) return untestable("fstat", errno);
  if (!S_ISREG(st.st_mode)) return contained("stdout is no file of the host");
  return judge(ftruncate(STDOUT_FILENO, 0), "ftruncate of stdout");
}

constexpr Verb kVerbs[] = {
    {"leaked", "", 0, leaked},
    {"leaked-directory", "PATH", 1, leaked_directory},
    {"holds-file", "DEVICE INODE", 2, holds_file},
    {"reopen", "FD [read]", 1, reopen},
    {"cut-output", "", 0, cut_output},
};

}  // namespace

std::span<const Verb> descriptor_verbs() { return kVerbs; }

}  // namespace probe
