// A step that fails ends the run with its line: for a yardstick that is message enough.
#pragma once

#include <stdio.h>
#include <unistd.h>

#define MUST(call)                                                     \
  do {                                                                 \
    if ((call) < 0) {                                                  \
      dprintf(2, "floor: %s:%d: %s: %m\n", __FILE__, __LINE__, #call); \
      _exit(125);                                                      \
    }                                                                  \
  } while (0)
