// inside: what bench/run starts in a sandbox to look at it from there.
//
//   inside probe CANARY [DIR...]   NAME=VALUE lines: what this process is, sees and may do; CANARY
//                                  is a file of the host's, DIRs are places to try to write in
//   inside calls N                 prints the nanoseconds of a getppid and of an openat with close
//   inside hold                    writes a byte, then waits for the end of stdin
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { kRepeats = 5 };

// ---- probe

static void print_namespaces(void) {
  static const char* const names[] = {"user", "pid", "mnt", "net", "ipc", "uts", "cgroup"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    char path[64], link[64];
    snprintf(path, sizeof path, "/proc/self/ns/%s", names[i]);
    const ssize_t n = readlink(path, link, sizeof link);
    printf("ns_%s=%.*s\n", names[i], n > 0 ? (int)n : 1, n > 0 ? link : "?");
  }
}

static void print_status(void) {
  static const char* const wanted[] = {"CapEff", "CapBnd", "NoNewPrivs", "Seccomp"};
  FILE* file = fopen("/proc/self/status", "r");
  char line[256], name[32], value[64];
  while (file && fgets(line, sizeof line, file)) {
    if (sscanf(line, "%31[^:]: %63s", name, value) != 2) continue;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; ++i)
      if (strcmp(name, wanted[i]) == 0) printf("%s=%s\n", name, value);
  }
  if (file) fclose(file);
}

// A file without a name: nothing is left behind, wherever this may write.
static int can_write(const char* folder) {
  const int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0) close(fd);
  return fd >= 0 || (errno == EOPNOTSUPP && access(folder, W_OK) == 0);
}

static void print_mounts(void) {
  FILE* file = fopen("/proc/self/mounts", "r");
  char line[4096], at[1024];
  int all = 0, writable = 0;
  while (file && fgets(line, sizeof line, file)) {
    struct statvfs facts;
    ++all;
    // Of what lies on top of each other, the uppermost answers.
    if (sscanf(line, "%*s %1023s", at) == 1 && statvfs(at, &facts) == 0)
      writable += (facts.f_flag & ST_RDONLY) == 0;
  }
  if (file) fclose(file);
  printf("mounts=%d\nwritable_mounts=%d\n", all, writable);
}

static void print_processes(void) {
  DIR* proc = opendir("/proc");
  int seen = 0;
  for (struct dirent* entry; proc && (entry = readdir(proc));)
    seen += entry->d_name[0] >= '1' && entry->d_name[0] <= '9';
  if (proc) closedir(proc);
  printf("processes=%d\n", seen);
}

static void print_interfaces(void) {
  struct if_nameindex* all = if_nameindex();
  int others = 0;
  for (struct if_nameindex* one = all; one && one->if_name; ++one)
    others += strcmp(one->if_name, "lo") != 0;
  if_freenameindex(all);
  printf("interfaces=%d\n", others);
}

static int probe(char** args) {
  print_namespaces();
  print_status();
  print_mounts();
  print_processes();
  print_interfaces();
  printf("canary=%d\n", access(*args, F_OK) == 0);
  while (*++args) printf("write %s=%d\n", *args, can_write(*args));
  return 0;
}

// ---- calls

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double time_getppid(long count) {
  const double start = now_ns();
  for (long i = 0; i < count; ++i) syscall(SYS_getppid);
  return (now_ns() - start) / (double)count;
}

static double time_open(long count) {
  const double start = now_ns();
  for (long i = 0; i < count; ++i) {
    const long fd = syscall(SYS_openat, AT_FDCWD, "/usr/lib", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
      perror("/usr/lib");
      exit(1);
    }
    syscall(SYS_close, fd);
  }
  return (now_ns() - start) / (double)count;
}

// The best of several: whatever else the machine does can only add.
static double best(double (*time)(long), long count) {
  double least = time(count);
  for (int i = 1; i < kRepeats; ++i) {
    const double took = time(count);
    if (took < least) least = took;
  }
  return least;
}

static int calls(long count) {
  printf("%.2f %.2f\n", best(time_getppid, count), best(time_open, count / 4));
  return 0;
}

static int stay(void) {
  char byte = '.';
  if (write(1, &byte, 1) != 1) return 1;
  while (read(0, &byte, 1) > 0) continue;
  return 0;
}

int main(int argc, char** argv) {
  if (argc >= 3 && strcmp(argv[1], "probe") == 0) return probe(argv + 2);
  if (argc == 3 && strcmp(argv[1], "calls") == 0) return calls(atol(argv[2]));
  if (argc == 2 && strcmp(argv[1], "hold") == 0) return stay();
  fputs("usage: inside probe CANARY [DIR...] | calls N | hold\n", stderr);
  return 2;
}
