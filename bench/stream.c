// How fast bytes come out of a run, and what that costs the one who passes them on.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "spawn.h"

enum { kBlock = 1 << 20 };

static pid_t start_feeder(int fd, uint64_t bytes) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  static char block[kBlock];
  signal(SIGPIPE, SIG_IGN);
  for (uint64_t left = bytes; left > 0;) {
    const ssize_t n = write(fd, block, left < kBlock ? left : kBlock);
    if (n <= 0) _exit(1);
    left -= (uint64_t)n;
  }
  _exit(0);
}

// Takes all there is, without looking at it: a reader that copies would be the slowest of all.
// The clock starts with the first bytes: the start of the command is another measurement.
static uint64_t drain(int fd, uint64_t* took) {
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  uint64_t bytes = 0, start = 0;
  for (ssize_t n; (n = splice(fd, NULL, null, NULL, kBlock, SPLICE_F_MOVE)) > 0;) {
    if (start == 0) start = now_ns();
    bytes += (uint64_t)n;
  }
  *took = now_ns() - start;
  close(null);
  return bytes;
}

// What all threads of the process ran, without its children; it has ended and nobody has waited for
// it.
static uint64_t cpu_ns(pid_t pid) {
  clockid_t clock;
  struct timespec t;
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0) return 0;
  return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

int measure_stream(int command, uint64_t input) {
  int in[2], out[2], status;
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) fail("pipe");
  const pid_t pid = start_command(command, 0, in[0], out[1]);
  close(out[1]);
  close(in[0]);
  const pid_t feeder = input > 0 ? start_feeder(in[1], input) : -1;
  close(in[1]);
  uint64_t took;
  const uint64_t bytes = drain(out[0], &took);
  siginfo_t info;
  if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) != 0) fail("waitid");
  const uint64_t ran = cpu_ns(pid);
  if (waitpid(pid, &status, 0) != pid) fail("waitpid");
  if (feeder > 0) waitpid(feeder, NULL, 0);
  printf("%llu %llu %d %llu\n", (unsigned long long)bytes, (unsigned long long)took,
         as_exit_code(status), (unsigned long long)ran);
  return 0;
}
