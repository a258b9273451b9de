// Who clears up when we are gone.
#include "os/heir.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "os/pipe.hpp"

using namespace sbx::os;

namespace {

/// The only child of this process.
pid_t child() {
  const std::string path = "/proc/self/task/" + std::to_string(::getpid()) + "/children";
  pid_t pid = 0;
  std::ifstream(path) >> pid;
  return pid;
}

void tell(void* argument) noexcept {
  (void)!::write(static_cast<Pipe*>(argument)->write.get(), "x", 1);
}

/// A process that has an heir, which is sent `number` before it has done anything, and dies.
void live_and_die(Pipe& told, int number) {
  const auto heir = Heir::start(tell, &told);
  const pid_t pid = child();
  if (!heir || pid == 0) ::_exit(1);
  const bool sent = number == SIGKILL ? ::kill(0, SIGKILL) == 0 : ::kill(pid, number) == 0;
  ::_exit(sent ? 0 : 2);
}

/// Whether the heir did what it is for.
bool inherits(int number) {
  auto told = make_pipe(0);
  REQUIRE(told.has_value());
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    if (::setpgid(0, 0) != 0) ::_exit(3);
    live_and_die(*told, number);
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  CHECK((number == SIGKILL ? WIFSIGNALED(status) : status == 0));
  told->write.reset();
  char byte = 0;
  return ::read(told->read.get(), &byte, 1) == 1;
}

}  // namespace

TEST_CASE("an heir that was just made is neither asked to end nor killed with its group") {
  for (int i = 0; i < 100; ++i)
    for (const int number : {SIGHUP, SIGINT, SIGTERM, SIGKILL}) {
      CAPTURE(number);
      CHECK(inherits(number));
    }
}
