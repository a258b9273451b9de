// spawn: starts the commands of a file (command.h) and measures them, for bench/run. Small and
// static.
//
//   spawn serve FILE PAUSE_US                      runs the command whose number comes on stdin,
//                                                  once; prints NANOSECONDS STATUS
//   spawn rate FILE NUMBER PARALLEL TOTAL MAX_MS   keeps PARALLEL of it running; prints DONE FAILED
//                                                  NANOSECONDS MEDIAN P99
//   spawn hold FILE NUMBER WANTED MAX_MS           starts WANTED of it, each of which writes a byte
//                                                  when it is up and waits for the end of stdin;
//                                                  prints their process ids, then "up"; lets go
//                                                  when its own stdin ends
//   spawn stream FILE NUMBER INPUT                 feeds it INPUT bytes, drains its output; prints
//                                                  BYTES NANOSECONDS STATUS CPU_NANOSECONDS, the
//                                                  last without its children's
#include "spawn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"

int serve(int commands, unsigned pause_us) {
  char line[32];
  setvbuf(stdin, NULL, _IONBF, 0);
  while (fgets(line, sizeof line, stdin)) {
    const int number = command_number(line, commands);
    // What the kernel still tidies up after the one before is not the next one's cost.
    usleep(pause_us);
    int status;
    const uint64_t start = now_ns();
    const pid_t pid = start_command(number, 0, -1, -1);
    if (waitpid(pid, &status, 0) != pid) fail("waitpid");
    const uint64_t took = now_ns() - start;
    printf("%llu %d\n", (unsigned long long)took, as_exit_code(status));
    fflush(stdout);
  }
  return 0;
}

static int usage(void) {
  fputs(
      "usage: spawn serve FILE PAUSE_US | rate FILE NUMBER PARALLEL TOTAL MAX_MS |\n"
      "       hold FILE NUMBER WANTED MAX_MS | stream FILE NUMBER INPUT\n",
      stderr);
  return 2;
}

int main(int argc, char** argv) {
  if (argc < 4) return usage();
  const char* verb = argv[1];
  const int commands = read_commands(argv[2]);
  char** args = argv + 3;
  if (argc == 4 && strcmp(verb, "serve") == 0) return serve(commands, (unsigned)atoi(args[0]));
  const int number = command_number(args[0], commands);
  if (argc == 7 && strcmp(verb, "rate") == 0)
    return measure_rate(number, atoi(args[1]), atoi(args[2]), (unsigned)atoi(args[3]));
  if (argc == 6 && strcmp(verb, "hold") == 0)
    return hold(number, atoi(args[1]), (unsigned)atoi(args[2]));
  if (argc == 5 && strcmp(verb, "stream") == 0)
    return measure_stream(number, strtoull(args[1], NULL, 10));
  return usage();
}
