// The mount calls of floor.c's two roots, each one call of the kernel's newer interface.
#pragma once

#include <stdint.h>

enum { kPlainMount = 2 | 4, kReadOnlyMount = kPlainMount | 1 };  // nosuid, nodev; and read-only

// A new file system of `type`, not attached yet; `options` ends with NULL and may be NULL.
long fs_mount(const char* type, const char* const options[][2], unsigned attributes);
void attach(long tree, int at, const char* path);
// A copy of the tree at `source`, every mount of it with `attributes`, not attached yet;
// -1: there is no such path.
long copy_tree(int from, const char* source, uint64_t attributes, uint64_t propagation);
// Shows `source` at `path`, where the host has it.
void bind_path(int from, const char* source, int at, const char* path, uint64_t attributes);
// The `count` first of null, zero, full, random, urandom, tty in a tmpfs at `root`/dev, with the
// links to /proc/self/fd; returns that tmpfs.
int make_dev(int root, int count);
void make_file(int at, const char* path, const char* text);
// Makes `root` the root, and drops the old one.
void enter_root(int root);
