#include "os/attempt.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "os/pipe.hpp"
#include "os/process.hpp"

namespace sbx::os {
namespace {

constexpr int kPatienceMs = 5000;

struct Trial {
  AttemptBody body;
  void* argument;
  int start = -1;              ///< a byte from there: go
  int opened = -1;             ///< a byte there: our entry in /proc can be written
  const IdMap* map = nullptr;  ///< what will have been written there
};

[[noreturn]] void be_child(const Trial& trial) noexcept {
  // A trial that hangs does not outlive us; where prctl(2) itself is refused, patience has to do.
  (void)set_death_signal(SIGKILL);
  (void)set_rlimit(RLIMIT_CORE, 0);  // a filter's kill leaves a core file in the caller's folder
  char go = 0;
  // From a parent with closed memory we have that, too.
  if (trial.opened >= 0 && (!set_dumpable(true) || ::write(trial.opened, &go, 1) != 1))
    end_process(ECANCELED);
  if (trial.start >= 0 && ::read(trial.start, &go, 1) != 1) end_process(ECANCELED);
  // root's own id is none of those that are mapped, and who has none makes no files (EOVERFLOW).
  if (trial.map != nullptr)
    if (const auto done = become_ids(trial.map->inner_uid, trial.map->inner_gid, false); !done)
      end_process(done.error().value);
  end_process(trial.body(trial.argument));
}

/// Waits until `child` has closed its end of the pipe, which is when it ends; kills it otherwise.
Attempt finish(pid_t child, const UniqueFd& alive) {
  pollfd watched{alive.get(), POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&watched, 1, kPatienceMs);
  } while (ready < 0 && errno == EINTR);
  if (ready != 1) (void)signal_child(child, SIGKILL);
  const auto ended = wait_for(child);
  if (!ended) return {.ran = true, .error = ended.error().value};
  const int status = ended->wait_status;
  return {.ran = true,
          .killed = !WIFEXITED(status),
          .error = WIFEXITED(status) ? WEXITSTATUS(status) : 0};
}

}  // namespace

Attempt try_in_child(AttemptBody body, void* argument) {
  auto alive = make_pipe(0);
  if (!alive) return {.error = alive.error().value, .step = "pipe2"};
  // fork(2) of the C library, because a host that has no clone3(2) has something to say as well.
  const pid_t child = ::fork();
  if (child < 0) return {.error = errno, .step = "fork"};
  if (child == 0) be_child({body, argument});
  alive->write.reset();
  return finish(child, alive->read);
}

Attempt try_in_namespaces(std::uint64_t namespaces, AttemptBody body, void* argument,
                          const IdMap* map) {
  auto alive = make_pipe(0);
  auto start = make_pipe(0);
  if (!alive || !start) return {.error = (alive ? start : alive).error().value, .step = "pipe2"};
  const bool closed = map != nullptr && !is_dumpable();
  const auto child = clone_process(namespaces, -1);
  if (!child) return {.error = child.error().value, .step = "clone3"};
  if (child->pid == 0) {
    start->write.reset();
    be_child({body, argument, start->read.get(), closed ? alive->write.get() : -1, map});
  }
  alive->write.reset();
  start->read.reset();
  char opened = 0;
  // At its end, if it could not.
  while (closed && ::read(alive->read.get(), &opened, 1) < 0 && errno == EINTR) continue;
  if (map != nullptr) {
    const auto mapped = write_id_maps(child->pid, *map, ::geteuid() != 0);
    if (!mapped) {
      start->write.reset();  // it ends without having done anything
      (void)finish(child->pid, alive->read);
      return {.error = mapped.error().value, .step = "id map"};
    }
  }
  const char go = 1;
  const bool told = ::write(start->write.get(), &go, 1) == 1;
  start->write.reset();
  const Attempt attempt = finish(child->pid, alive->read);
  return told ? attempt : Attempt{.error = EPIPE, .step = "pipe2"};
}

}  // namespace sbx::os
