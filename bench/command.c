#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum { kExtra = 9, kMaxWords = 192, kMaxReplaced = 8, kWordSize = 512 };
static const char kSlot[] = "{slot}";

extern char** environ;

struct command {
  const char* file;
  char* words[kMaxWords];
};
static struct command commands[kMaxCommands];

int read_commands(const char* path) {
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
  free(line);
  fclose(file);
  return count;
}

int command_number(const char* word, int count) {
  const int number = atoi(word);
  if (number >= 0 && number < count) return number;
  fprintf(stderr, "spawn: there is no command %s\n", word);
  exit(2);
}

// The words with the slot put in; those that have none stay where they are.
static void fill_in(char* const* words, int slot, char** filled) {
  static char replaced[kMaxReplaced][kWordSize];
  int used = 0;
  for (; *words; ++words) {
    const char* at = strstr(*words, kSlot);
    if (!at) {
      *filled++ = *words;
      continue;
    }
    if (used == kMaxReplaced) exit(2);
    snprintf(replaced[used], kWordSize, "%.*s%d%s", (int)(at - *words), *words, slot,
             at + strlen(kSlot));
    *filled++ = replaced[used++];
  }
  *filled = NULL;
}

static void put_stream(posix_spawn_file_actions_t* actions, int fd, int source, int mode) {
  if (source >= 0) {
    posix_spawn_file_actions_adddup2(actions, source, fd);
  } else {
    posix_spawn_file_actions_addopen(actions, fd, "/dev/null", mode, 0);
  }
}

pid_t start_command(int number, int slot, int input, int output) {
  const struct command* command = &commands[number];
  char* words[kMaxWords];
  fill_in(command->words, slot, words);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  put_stream(&actions, 0, input, O_RDONLY);
  put_stream(&actions, 1, output, O_WRONLY);
  if (strcmp(command->file, "-") != 0)
    posix_spawn_file_actions_addopen(&actions, kExtra, command->file, O_RDONLY, 0);
  pid_t pid;
  errno = posix_spawn(&pid, words[0], &actions, NULL, words, environ);
  if (errno != 0) fail(words[0]);
  posix_spawn_file_actions_destroy(&actions);
  return pid;
}

uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

int as_exit_code(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void fail(const char* what) {
  perror(what);
  exit(1);
}
