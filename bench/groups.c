// Each group as one mkdir, one write a value, one join and one rmdir, below a folder kept open.
#include "groups.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "must.h"

enum { kMaxGroups = 8, kMaxValues = 8, kNameSize = 64 };

struct group {
  int version, parent, folder;
  char name[kNameSize], *files[kMaxValues], *values[kMaxValues];
  int count;
};
static struct group groups[kMaxGroups];
static int group_count;
static char text[8192];

static void read_line(char* line) {
  MUST(group_count < kMaxGroups ? 0 : -1);
  struct group* g = &groups[group_count++];
  char* rest = line;
  g->version = atoi(strsep(&rest, "\t"));
  char* path = strsep(&rest, "\t");
  char* name = path ? strrchr(path, '/') : NULL;
  MUST(name ? 0 : -1);
  *name++ = '\0';
  snprintf(g->name, sizeof g->name, "%s.%d", name, getpid());  // one of several at the same time
  MUST(g->parent = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  while (rest && g->count < kMaxValues) {
    g->files[g->count] = strsep(&rest, "\t");
    g->values[g->count++] = strsep(&rest, "\t");
  }
}

void read_groups(const char* file) {
  const int fd = open(file, O_RDONLY | O_CLOEXEC);
  MUST(fd);
  MUST(read(fd, text, sizeof text - 1));
  close(fd);
  char* rest = text;
  for (char* line; (line = strsep(&rest, "\n"));)
    if (*line) read_line(line);
}

static void make(struct group* g) {
  MUST(mkdirat(g->parent, g->name, 0755));
  MUST(g->folder = openat(g->parent, g->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; i < g->count; ++i) {
    const int fd = openat(g->folder, g->files[i], O_WRONLY | O_CLOEXEC);
    MUST(fd);
    MUST(write(fd, g->values[i], strlen(g->values[i])));
    close(fd);
  }
}

int make_v2_group(void) {
  for (int i = 0; i < group_count; ++i) {
    if (groups[i].version != 2) continue;
    make(&groups[i]);
    return groups[i].folder;
  }
  return -1;
}

void send_v1_groups(int to) {
  union {
    char bytes[CMSG_SPACE(kMaxGroups * sizeof(int))];
    struct cmsghdr align;
  } control = {{0}};
  int files[kMaxGroups], count = 0;
  for (int i = 0; i < group_count; ++i) {
    if (groups[i].version != 1) continue;
    make(&groups[i]);
    MUST(files[count++] = openat(groups[i].folder, "tasks", O_WRONLY | O_CLOEXEC));
  }
  struct iovec byte = {"", 1};
  struct msghdr message = {.msg_iov = &byte, .msg_iovlen = 1};
  if (count > 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    struct cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(head), files, count * sizeof(int));
  }
  MUST(sendmsg(to, &message, MSG_NOSIGNAL));
  for (int i = 0; i < count; ++i) close(files[i]);
}

void join_v1_groups(int from) {
  union {
    char bytes[CMSG_SPACE(kMaxGroups * sizeof(int))];
    struct cmsghdr align;
  } control;
  char byte;
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
  if (recvmsg(from, &message, MSG_CMSG_CLOEXEC) != 1) _exit(125);
  const struct cmsghdr* head = CMSG_FIRSTHDR(&message);
  if (!head) return;
  int files[kMaxGroups];
  const size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  memcpy(files, CMSG_DATA(head), count * sizeof(int));
  for (size_t i = 0; i < count; ++i) {
    MUST(write(files[i], "0", 1));
    close(files[i]);
  }
}

void remove_groups(void) {
  for (int i = 0; i < group_count; ++i)
    MUST(unlinkat(groups[i].parent, groups[i].name, AT_REMOVEDIR));
}
