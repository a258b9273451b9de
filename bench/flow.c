// The clients of the measured connections; each prints its figures. Times are nanoseconds.
//
// flow serve                                 the server of all of them
// flow send|receive ADDRESS PORT BYTES       the time that they took
// flow setup ADDRESS PORT COUNT              of each: the time of connect(2), and until a byte came
//                                            back
// flow rate ADDRESS PORT COUNT AT_ONCE       the time for all, of which so many are under way
// flow crowd ADDRESS PORT COUNT              "here" when all are connected and have answered; waits
//                                            for a line, and says how many answer again
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "flow_server.h"
#include "flow_wire.h"

enum { kMost = 4096 };

static struct sockaddr_in target;
static char block[kFlowBlock];

static int reach(int flags) {
  const int fd = socket(AF_INET, SOCK_STREAM | flags, 0), on = 1;
  FLOW_MUST(fd);
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(fd, (struct sockaddr*)&target, sizeof target) != 0 && flags == 0) FLOW_MUST(-1);
  return fd;
}

// Without TIME_WAIT, of which there would be thousands.
static void reset(int fd) {
  const struct linger now = {1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  close(fd);
}

static void echo(int fd) {
  char byte = FLOW_ECHO;
  FLOW_MUST(write(fd, &byte, 1) == 1 ? 0 : -1);
  FLOW_MUST(read(fd, &byte, 1) == 1 ? 0 : -1);
}

static void send_all(uint64_t bytes) {
  const int fd = reach(0);
  const uint64_t start = flow_now();
  const char take = FLOW_TAKE;
  FLOW_MUST(write(fd, &take, 1) == 1 ? 0 : -1);
  for (uint64_t left = bytes; left > 0;) {
    const ssize_t n = write(fd, block, left < sizeof block ? left : sizeof block);
    FLOW_MUST(n);
    left -= (uint64_t)n;
  }
  FLOW_MUST(shutdown(fd, SHUT_WR));
  FLOW_MUST(read(fd, block, 1) == 1 ? 0 : -1);
  printf("%llu\n", (unsigned long long)(flow_now() - start));
}

static void receive_all(uint64_t bytes) {
  const int fd = reach(0);
  const uint64_t start = flow_now();
  char request[1 + sizeof bytes] = {FLOW_GIVE};
  memcpy(request + 1, &bytes, sizeof bytes);
  FLOW_MUST(write(fd, request, sizeof request) == sizeof request ? 0 : -1);
  uint64_t got = 0;
  for (ssize_t n; (n = read(fd, block, sizeof block)) > 0;) got += (uint64_t)n;
  FLOW_MUST(got == bytes ? 0 : -1);
  printf("%llu\n", (unsigned long long)(flow_now() - start));
}

static void set_up(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t start = flow_now();
    const int fd = reach(0);
    const uint64_t connected = flow_now();
    echo(fd);
    printf("%llu %llu\n", (unsigned long long)(connected - start),
           (unsigned long long)(flow_now() - start));
    reset(fd);
  }
}

static void open_one(int epoll) {
  const int fd = reach(SOCK_NONBLOCK);
  struct epoll_event event = {.events = EPOLLOUT, .data.fd = fd};
  FLOW_MUST(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event));
}

// One step of one connection: it says its byte, or has its answer and makes room. 1: it is done.
static int advance(int epoll, const struct epoll_event* event) {
  const int fd = event->data.fd;
  char byte = FLOW_ECHO;
  if (event->events & (EPOLLERR | EPOLLHUP)) FLOW_MUST(-1);
  if (event->events & EPOLLOUT) {
    struct epoll_event next = {.events = EPOLLIN, .data.fd = fd};
    FLOW_MUST(write(fd, &byte, 1) == 1 ? 0 : -1);
    FLOW_MUST(epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &next));
    return 0;
  }
  FLOW_MUST(read(fd, &byte, 1) == 1 ? 0 : -1);
  reset(fd);
  return 1;
}

static void rate(uint64_t count, uint64_t at_once) {
  const int epoll = epoll_create1(0);
  const uint64_t start = flow_now();
  uint64_t opened = 0, done = 0;
  struct epoll_event events[64];
  while (done < count) {
    for (; opened < count && opened - done < at_once; ++opened) open_one(epoll);
    const int n = epoll_wait(epoll, events, 64, 10000);
    FLOW_MUST(n == 0 ? -1 : n);
    for (int i = 0; i < n; ++i) done += (uint64_t)advance(epoll, &events[i]);
  }
  printf("%llu\n", (unsigned long long)(flow_now() - start));
}

static void crowd(uint64_t count) {
  static int fds[kMost];
  if (count > kMost) exit(2);
  for (uint64_t i = 0; i < count; ++i) {
    fds[i] = reach(0);
    echo(fds[i]);
  }
  printf("here\n");
  fflush(stdout);
  FLOW_MUST(read(STDIN_FILENO, block, 1));
  for (uint64_t i = 0; i < count; ++i) echo(fds[i]);
  printf("%llu\n", (unsigned long long)count);
}

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "serve") == 0) return flow_serve();
  if (argc < 5) return 2;
  target.sin_family = AF_INET;
  target.sin_port = htons((uint16_t)atoi(argv[3]));
  if (inet_pton(AF_INET, argv[2], &target.sin_addr) != 1) return 2;
  const uint64_t number = strtoull(argv[4], NULL, 10);
  if (strcmp(argv[1], "send") == 0)
    send_all(number);
  else if (strcmp(argv[1], "receive") == 0)
    receive_all(number);
  else if (strcmp(argv[1], "setup") == 0)
    set_up(number);
  else if (strcmp(argv[1], "rate") == 0 && argc == 6)
    rate(number, strtoull(argv[5], NULL, 10));
  else if (strcmp(argv[1], "crowd") == 0)
    crowd(number);
  else
    return 2;
  return 0;
}
