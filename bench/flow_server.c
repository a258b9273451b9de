// The server: one process for thousands of connections, and one of its own for each stream of many
// bytes, so that it has a processor to itself if there is one.
#include "flow_server.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "flow_wire.h"

enum { kMostFds = 65536, kBatch = 256 };

static char block[kFlowBlock];
static char greeted[kMostFds];

static void take(int fd) {
  while (read(fd, block, sizeof block) > 0) {
  }
  if (write(fd, "x", 1) != 1) _exit(1);
}

static void give(int fd) {
  uint64_t left;
  if (recv(fd, &left, sizeof left, MSG_WAITALL) != sizeof left) _exit(1);
  while (left > 0) {
    const ssize_t n = write(fd, block, left < sizeof block ? left : sizeof block);
    if (n <= 0) _exit(1);
    left -= (uint64_t)n;
  }
}

static void stream_apart(int fd, char what) {
  if (fork() == 0) {
    if (what == FLOW_TAKE) take(fd);
    if (what == FLOW_GIVE) give(fd);
    _exit(0);
  }
  close(fd);
}

static void serve(int epoll, int fd) {
  char bytes[256];
  // The first byte alone: what follows it may be for a process of its own.
  const ssize_t n = recv(fd, bytes, greeted[fd] ? sizeof bytes : 1, 0);
  if (n <= 0) {
    close(fd);
    return;
  }
  if (!greeted[fd] && bytes[0] != FLOW_ECHO) {
    FLOW_MUST(epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL));
    stream_apart(fd, bytes[0]);
    return;
  }
  greeted[fd] = 1;
  if (send(fd, bytes, (size_t)n, MSG_NOSIGNAL) != n) close(fd);
}

static void add(int epoll, int fd) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
  FLOW_MUST(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event));
}

static void accept_all(int epoll, int listener) {
  for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0;) {
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (fd >= kMostFds) exit(1);
    greeted[fd] = 0;
    add(epoll, fd);
  }
}

static int listen_somewhere(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  FLOW_MUST(listener);
  FLOW_MUST(bind(listener, (struct sockaddr*)&address, sizeof address));
  FLOW_MUST(listen(listener, 4096));
  FLOW_MUST(getsockname(listener, (struct sockaddr*)&address, &size));
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  return listener;
}

int flow_serve(void) {
  const struct rlimit most = {kMostFds, kMostFds};
  struct rlimit have;
  getrlimit(RLIMIT_NOFILE, &have);
  if (setrlimit(RLIMIT_NOFILE, &most) != 0) {
    have.rlim_cur = have.rlim_max;
    setrlimit(RLIMIT_NOFILE, &have);
  }
  signal(SIGCHLD, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  const int listener = listen_somewhere();
  add(epoll, listener);
  add(epoll, STDIN_FILENO);
  struct epoll_event events[kBatch];
  for (;;) {
    const int n = epoll_wait(epoll, events, kBatch, -1);
    for (int i = 0; i < n; ++i) {
      if (events[i].data.fd == STDIN_FILENO) return 0;
      if (events[i].data.fd == listener)
        accept_all(epoll, listener);
      else
        serve(epoll, events[i].data.fd);
    }
  }
}
