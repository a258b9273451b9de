// What the client (flow.c) and the server (flow_server.c) of measured TCP connections say to each
// other, and how both fail.
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>

enum { kFlowBlock = 1 << 18 };

// The first byte of a connection says what it is for.
#define FLOW_TAKE 'T'  // the client sends to the end; then one byte back
#define FLOW_GIVE 'G'  // and eight bytes: how many the server is to send
#define FLOW_ECHO 'E'  // each byte comes back, this one as well

static inline uint64_t flow_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

#define FLOW_MUST(call)                                         \
  do {                                                          \
    if ((call) < 0) {                                           \
      fprintf(stderr, "flow: %s:%d: %m\n", __FILE__, __LINE__); \
      exit(1);                                                  \
    }                                                           \
  } while (0)
