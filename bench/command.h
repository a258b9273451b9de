// The commands that spawn starts, and how: with posix_spawn, which shares memory with the child
// until its exec, so that the clock sees the command and not the one who starts it.
#pragma once

#include <stdint.h>
#include <sys/types.h>

enum { kMaxCommands = 64, kMaxSlots = 512 };

// Reads a file of commands, one a line, words split by tabs. The first word is a file to open for
// reading at descriptor 9, or "-". "{slot}" within a word stands for start_command's slot. Returns
// how many there are; any error ends the program.
int read_commands(const char* path);
// The number of a command out of read_commands, as the command line has it.
int command_number(const char* word, int count);
// Starts command `number` with these as descriptors 0 and 1; -1: /dev/null.
pid_t start_command(int number, int slot, int input, int output);

uint64_t now_ns(void);
int as_exit_code(int status);
// Says what failed and why, and ends the program with 1.
void fail(const char* what);
