// What spawn can do with the commands of a file, one function for each of its verbs.
#pragma once

#include <stdint.h>

int serve(int commands, unsigned pause_us);
int measure_rate(int command, int parallel, int total, unsigned max_ms);
int hold(int command, int wanted, unsigned max_ms);
int measure_stream(int command, uint64_t input);
