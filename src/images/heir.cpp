#include "images/heir.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "images/store_sweep.hpp"
#include "os/folder.hpp"
#include "os/pipe.hpp"
#include "os/process.hpp"

namespace sbx::images {
namespace {

struct Bequest {
  int store;
  int folder;
  const std::string& name;
  os::Pipe& line;
};

[[noreturn]] void wait_for_it(void* argument) noexcept {
  const Bequest& bequest = *static_cast<Bequest*>(argument);
  // What ends a foreground job, or the session, is sent to us as well.
  (void)os::block_all_signals();
  const os::UniqueFd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  // Whoever reads what the run has written is not to wait for us.
  for (int fd = 0; fd < 3 && nothing.valid(); ++fd) (void)::dup2(nothing.get(), fd);
  bequest.line.write.reset();
  char byte = 0;
  while (::read(bequest.line.read.get(), &byte, 1) < 0 && errno == EINTR) {
  }
  if (os::is_named(bequest.store, bequest.name.c_str(), bequest.folder))
    remove_inner(bequest.store, bequest.folder, bequest.name);
  os::end_process(0);
}

}  // namespace

SysResult<Heir> Heir::of(int store, int folder, const std::string& name) {
  os::Pipe line = SBX_TRY(os::make_pipe(0));
  Bequest bequest{store, folder, name, line};
  const pid_t pid = SBX_TRY(os::fork_process(&wait_for_it, &bequest));
  return Heir(pid, std::move(line.write));
}

Heir::~Heir() {
  if (pid_ == 0) return;
  (void)os::signal_child(pid_, SIGKILL);
  (void)os::wait_for(pid_);
}

}  // namespace sbx::images
