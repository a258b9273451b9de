// Descriptors on their way, more than the kernel lets a user have there.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "os/pass_descriptors.hpp"

using namespace sbx;  // NOLINT(google-build-using-namespace)

namespace {

constexpr int kLimit = 20;
constexpr int kPassed[] = {0};

/// Somebody who may have no more of them on their way than they may open: not root.
bool become_anybody() {
  const ::rlimit limit{kLimit, kLimit};
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 &&
         (::geteuid() != 0 || ::setresuid(65534, 65534, 65534) == 0);
}

/// Fills `socket` until the kernel takes no more. Returns that error.
int fill(int socket) {
  for (int i = 0; i < 10 * kLimit; ++i) {
    const auto sent = os::send_descriptors(socket, kPassed, os::WaitForRoom::awake);
    if (!sent) return sent.error().value;
  }
  return 0;
}

/// In a process of its own: takes one after a while. What is on its way to a socket that nobody has
/// any more is on its way no longer, so both ends stay open here.
void take_one_later(int socket) {
  constexpr ::timespec kWhile{0, 200'000'000};
  if (::fork() != 0) return;
  (void)::nanosleep(&kWhile, nullptr);
  for (int i = 0; i < 10; ++i) (void)os::receive_descriptors(socket, true);
  ::_exit(0);
}

/// 0: all is well; else what was not.
int send_too_many() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return 1;
  if (!become_anybody()) return 2;
  if (fill(ends[0]) != ETOOMANYREFS) return 3;
  take_one_later(ends[1]);
  if (!os::send_descriptors(ends[0], kPassed)) return 4;
  return 0;
}

}  // namespace

TEST_CASE("who finds no room for descriptors on their way waits until others have arrived") {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) ::_exit(send_too_many());
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
