// The cgroups of one run, for floor.c: what limits cost when the kernel alone has to be paid.
#pragma once

#include <sys/types.h>

// Reads FILE: a group a line, tab-separated: VERSION FOLDER [NAME VALUE]... FOLDER's
// parent exists; our process id is added to its name. Any error ends the program with 125.
void read_groups(const char* file);
// Makes the v2 group, if there is one, and returns its folder; -1: none.
int make_v2_group(void);
// The parent's part, while the child sets up: makes the v1 groups and sends what lets it join.
void send_v1_groups(int to);
// The child's part; waits for the parent. Both ends are of a SOCK_SEQPACKET pair.
void join_v1_groups(int from);
void remove_groups(void);
