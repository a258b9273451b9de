// Keeps many runs alive, so that others can look at them.
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "spawn.h"

enum { kPatienceMs = 30000 };

// Starts one and waits until it is up; 0: it did not come up.
static pid_t start_held(int command, int slot, int input) {
  int up[2];
  char byte;
  if (pipe2(up, O_CLOEXEC) != 0) fail("pipe");
  const pid_t pid = start_command(command, slot, input, up[1]);
  close(up[1]);
  struct pollfd wait = {.fd = up[0], .events = POLLIN};
  const int is_up = poll(&wait, 1, kPatienceMs) == 1 && read(up[0], &byte, 1) == 1;
  // up[0] stays open: it is the run's stdout.
  return is_up ? pid : 0;
}

int hold(int command, int wanted, unsigned max_ms) {
  int leash[2];
  if (pipe2(leash, O_CLOEXEC) != 0) fail("pipe");
  const uint64_t end = now_ns() + max_ms * 1000000ULL;
  for (int slot = 1; slot <= wanted && slot < kMaxSlots && now_ns() < end; ++slot) {
    const pid_t pid = start_held(command, slot, leash[0]);
    if (pid == 0) {
      fputs("it does not come up\n", stderr);
      break;
    }
    printf("%d\n", pid);
  }
  puts("up");
  fflush(stdout);
  close(leash[0]);
  char byte;
  while (read(0, &byte, 1) > 0) continue;
  close(leash[1]);
  while (wait(NULL) > 0) continue;
  return 0;
}
