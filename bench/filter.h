// The seccomp filter that floor loads and bubblewrap is given.
#pragma once

#include <linux/filter.h>

struct sock_fprog build_filter(void);
