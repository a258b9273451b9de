// The seccomp filter that floor loads; the peers are given it, or the list that it is made of.
#pragma once

#include <linux/filter.h>

struct sock_fprog build_filter(void);
int is_allowed(int number);
