// How many runs a second, with a number of them at the same time.
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "command.h"
#include "spawn.h"

struct run {
  pid_t pid;
  uint64_t start;
};
static struct run running[kMaxSlots];

static int compare(const void* a, const void* b) {
  const uint64_t left = *(const uint64_t*)a, right = *(const uint64_t*)b;
  return left < right ? -1 : left > right;
}

static int free_slot(void) {
  for (int slot = 0; slot < kMaxSlots; ++slot)
    if (running[slot].pid == 0) return slot;
  exit(2);
}

static int slot_of(pid_t pid) {
  for (int slot = 0; slot < kMaxSlots; ++slot)
    if (running[slot].pid == pid) return slot;
  exit(2);
}

int measure_rate(int command, int parallel, int total, unsigned max_ms) {
  uint64_t* took = calloc((size_t)total + 1, sizeof *took);
  int started = 0, done = 0, failed = 0;
  const uint64_t begin = now_ns();
  const uint64_t end = begin + max_ms * 1000000ULL;
  uint64_t last = begin;
  for (;;) {
    while (started - done < parallel && started < total && now_ns() < end) {
      const int slot = free_slot();
      running[slot].start = now_ns();
      running[slot].pid = start_command(command, slot, -1, -1);
      ++started;
    }
    if (started == done) break;
    int status;
    const pid_t pid = waitpid(-1, &status, 0);
    if (pid < 0) fail("waitpid");
    last = now_ns();
    struct run* run = &running[slot_of(pid)];
    took[done++] = last - run->start;
    failed += status != 0;
    run->pid = 0;
  }
  qsort(took, (size_t)done, sizeof *took, compare);
  printf("%d %d %llu %llu %llu\n", done, failed, (unsigned long long)(last - begin),
         (unsigned long long)took[done / 2], (unsigned long long)took[done * 99 / 100]);
  free(took);
  return 0;
}
