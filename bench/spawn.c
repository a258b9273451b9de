// spawn: starts commands and measures them, for bench/run. Small and static, so that the clock sees
// the command and not the one who starts it: posix_spawn shares memory with the child until its
// exec.
//
//   spawn latency SPEC ROUNDS WARMUP SEED PAUSE_US   SPEC: one command a line, words split by tabs;
//   the
//                                                    first word is a file for descriptor 9, or
//                                                    "-".
//       every round runs each command once, in a shuffled order; prints INDEX NANOSECONDS STATUS
//   spawn stream INPUT_BYTES -- CMD [ARG...]         feeds stdin, drains stdout; prints BYTES
//   NANOSECONDS STATUS
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kExtra = 9, kMaxCommands = 32, kMaxWords = 128, kBlock = 1 << 20 };

extern char** environ;

struct command {
  const char* file;
  char* words[kMaxWords];
};

static struct command commands[kMaxCommands];

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

static void fail(const char* what) {
  perror(what);
  exit(1);
}

static int as_exit_code(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int read_commands(const char* path) {
  FILE* file = fopen(path, "r");
  if (!file) fail(path);
  char* line = NULL;
  size_t room = 0;
  int count = 0;
  while (count < kMaxCommands && getline(&line, &room, file) > 0) {
    char* rest = strdup(line);
    rest[strcspn(rest, "\n")] = '\0';
    commands[count].file = strsep(&rest, "\t");
    for (int i = 0; rest && i < kMaxWords - 1; ++i) commands[count].words[i] = strsep(&rest, "\t");
    ++count;
  }
  fclose(file);
  return count;
}

static uint64_t run_once(const struct command* command, int* code) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  if (strcmp(command->file, "-") != 0) {
    posix_spawn_file_actions_addopen(&actions, kExtra, command->file, O_RDONLY, 0);
  }
  pid_t pid;
  int status;
  const uint64_t start = now_ns();
  if (posix_spawn(&pid, command->words[0], &actions, NULL, command->words, environ) != 0)
    fail(command->words[0]);
  if (waitpid(pid, &status, 0) != pid) fail("waitpid");
  const uint64_t took = now_ns() - start;
  posix_spawn_file_actions_destroy(&actions);
  *code = as_exit_code(status);
  return took;
}

static int latency(char** args) {
  const int count = read_commands(args[0]);
  const int rounds = atoi(args[1]), warmup = atoi(args[2]), pause_us = atoi(args[4]);
  srandom((unsigned)atoi(args[3]));
  int order[kMaxCommands];
  for (int i = 0; i < count; ++i) order[i] = i;
  for (int round = -warmup; round < rounds; ++round) {
    for (int i = count - 1; i > 0; --i) {
      const int j = (int)(random() % (i + 1)), held = order[i];
      order[i] = order[j];
      order[j] = held;
    }
    for (int i = 0; i < count; ++i) {
      int code;
      // What the kernel still tidies up after the one before is not the next one's cost.
      usleep((useconds_t)pause_us);
      const uint64_t took = run_once(&commands[order[i]], &code);
      if (round >= 0) printf("%d %llu %d\n", order[i], (unsigned long long)took, code);
    }
  }
  return 0;
}

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

static int stream(uint64_t input, char** words) {
  static char block[kBlock];
  int in[2], out[2], status;
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) fail("pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  pid_t pid;
  if (posix_spawn(&pid, words[0], &actions, NULL, words, environ) != 0) fail(words[0]);
  close(out[1]);
  close(in[0]);
  const pid_t feeder = input > 0 ? start_feeder(in[1], input) : -1;
  close(in[1]);
  uint64_t bytes = 0, start = 0;
  // The clock starts with the first byte: the start of the command is the other benchmark.
  for (ssize_t n; (n = read(out[0], block, sizeof block)) > 0; bytes += (uint64_t)n) {
    if (start == 0) start = now_ns();
  }
  const uint64_t took = now_ns() - start;
  if (waitpid(pid, &status, 0) != pid) fail("waitpid");
  if (feeder > 0) waitpid(feeder, NULL, 0);
  printf("%llu %llu %d\n", (unsigned long long)bytes, (unsigned long long)took,
         as_exit_code(status));
  return 0;
}

int main(int argc, char** argv) {
  if (argc == 7 && strcmp(argv[1], "latency") == 0) return latency(argv + 2);
  if (argc >= 5 && strcmp(argv[1], "stream") == 0)
    return stream(strtoull(argv[2], NULL, 10), argv + 4);
  fputs(
      "usage: spawn latency SPEC ROUNDS WARMUP SEED PAUSE_US | spawn stream INPUT_BYTES -- "
      "CMD...\n",
      stderr);
  return 2;
}
