#include "os/heir.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "base/fail.hpp"
#include "os/pipe.hpp"
#include "os/process.hpp"

namespace sbx::os {
namespace {

struct Testament {
  Pipe& line;  ///< at its end when we are gone
  void (*last)(void*) noexcept;
  void* argument;
};

void wait_and_inherit(void* argument) noexcept {
  const auto& testament = *static_cast<const Testament*>(argument);
  (void)::setpgid(0, 0);  // SIGKILL to a whole group
  testament.line.write.reset();
  // Whoever reads what we write sees our end by it.
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (null < 0 || ::dup2(null, fd) < 0) ::close(fd);
  char byte = 0;
  while (::read(testament.line.read.get(), &byte, 1) < 0 && errno == EINTR) {
  }
  testament.last(testament.argument);
  end_process(0);
}

}  // namespace

SysResult<Heir> Heir::start(void (*last)(void*) noexcept, void* argument) {
  Pipe line = SBX_TRY(make_pipe(0));
  Testament testament{line, last, argument};
  // Until it runs for the first time, it could be asked to end as we are.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  if (::sigprocmask(SIG_SETMASK, &all, &before) != 0) return fail();
  const SysResult<pid_t> pid = fork_process(wait_and_inherit, &testament);
  if (pid) (void)::setpgid(*pid, *pid);  // whoever of the two comes first
  (void)::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (!pid) return std::unexpected(pid.error());
  return Heir(*pid, std::move(line.write));
}

Heir::~Heir() {
  if (pid_ == 0) return;
  (void)signal_child(pid_, SIGKILL);
  (void)wait_for(pid_);
}

}  // namespace sbx::os
