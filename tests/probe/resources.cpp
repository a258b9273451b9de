// Attacks on the host's resources: processes, memory, file space, output. Each stops by itself at a
// bound, so that a control run does no harm.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "verdict.hpp"

namespace probe {
namespace {

constexpr std::size_t kMiB = 1U << 20U;

/// Forks until it is refused or COUNT children live at once.
Verdict fork_bomb(Args args) {
  const int wanted = std::atoi(args[0]);
  std::vector<pid_t> children;
  int error = 0;
  while (static_cast<int>(children.size()) < wanted) {
    const pid_t child = fork();
    if (child == 0) {
      for (;;) pause();
    }
    if (child < 0) {
      error = errno;
      break;
    }
    children.push_back(child);
  }
  for (const pid_t child : children) kill(child, SIGKILL);
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  const std::string text = std::to_string(children.size()) + " children lived at once";
  return error != 0 ? contained(text, error) : escaped(text);
}

Verdict memory_bomb(Args args) {
  const std::size_t size = static_cast<std::size_t>(std::atol(args[0])) * kMiB;
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return contained("mmap", errno);
  for (std::size_t at = 0; at < size; at += 4096) static_cast<volatile char*>(memory)[at] = 1;
  return escaped(std::string("used ") + args[0] + " MiB");
}

void* huge_memory(const std::string& how) {
  constexpr int kWays = PROT_READ | PROT_WRITE;
  if (how == "mmap")
    return mmap(nullptr, 2 * kMiB, kWays, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
  if (how == "memfd") {
    const int fd = memfd_create("huge", MFD_CLOEXEC | MFD_HUGETLB);
    return fd < 0 ? MAP_FAILED : mmap(nullptr, 2 * kMiB, kWays, MAP_SHARED, fd, 0);
  }
  const int id = shmget(IPC_PRIVATE, 2 * kMiB, IPC_CREAT | SHM_HUGETLB | 0600);
  if (id < 0) return MAP_FAILED;
  void* memory = shmat(id, nullptr, 0);
  const int error = errno;
  shmctl(id, IPC_RMID, nullptr);
  errno = error;
  return memory;
}

/// Takes one huge page from the host by HOW: mmap, memfd or shm.
Verdict huge_page(Args args) {
  void* memory = huge_memory(args[0]);
  if (memory == MAP_FAILED) return contained(std::string("huge page by ") + args[0], errno);
  // A group without any left ends who touches the page (SIGBUS).
  const pid_t child = fork();
  if (child == 0) {
    *static_cast<volatile char*>(memory) = 1;
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  const std::string text = std::string("huge page by ") + args[0];
  return WIFSIGNALED(status) ? contained(text + ", ended when touching it", 0) : escaped(text);
}

/// Fills DIR with one file of up to MIB mebibytes.
Verdict fill(Args args) {
  const std::string path = std::string(args[0]) + "/sbx-probe-fill";
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return untestable("create " + path, errno);
  static char block[kMiB];
  std::memset(block, 'x', sizeof block);
  std::size_t written = 0;
  int error = 0;
  while (written < static_cast<std::size_t>(std::atol(args[1])) * kMiB) {
    const ssize_t n = write(fd, block, sizeof block);
    if (n < 0) {
      error = errno;
      break;
    }
    written += static_cast<std::size_t>(n);
  }
  unlink(path.c_str());
  const std::string text = std::to_string(written / kMiB) + " MiB fitted";
  return error != 0 ? contained(text, error) : escaped(text);
}

/// Fills DIR with up to COUNT empty files: inodes cost kernel memory, too.
Verdict fill_inodes(Args args) {
  const int wanted = std::atoi(args[1]);
  int made = 0;
  for (; made < wanted; ++made) {
    const std::string path = std::string(args[0]) + "/f" + std::to_string(made);
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return contained(std::to_string(made) + " files fitted", errno);
    close(fd);
  }
  return escaped(std::to_string(made) + " files fitted");
}

/// Writes MIB mebibytes to stdout.
Verdict flood(Args args) {
  signal(SIGPIPE, SIG_IGN);
  static char block[65536];
  std::memset(block, 'x', sizeof block);
  const std::size_t wanted = static_cast<std::size_t>(std::atol(args[0])) * kMiB;
  for (std::size_t written = 0; written < wanted;) {
    const ssize_t n = write(STDOUT_FILENO, block, sizeof block);
    if (n < 0) return contained("write to stdout", errno);
    written += static_cast<std::size_t>(n);
  }
  return escaped(std::string("wrote ") + args[0] + " MiB");
}

constexpr Verb kVerbs[] = {
    {"fork-bomb", "COUNT", 1, fork_bomb},         {"memory-bomb", "MIB", 1, memory_bomb},
    {"huge-page", "HOW", 1, huge_page},           {"fill", "DIR MIB", 2, fill},
    {"fill-inodes", "DIR COUNT", 2, fill_inodes}, {"flood", "MIB", 1, flood},
};

}  // namespace

std::span<const Verb> resource_verbs() { return kVerbs; }

}  // namespace probe
