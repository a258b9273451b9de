#include "os/secret_command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/fail.hpp"
#include "base/fixed_text.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "os/process.hpp"
#include "os/process_tree.hpp"

namespace sbx::os {
namespace {

struct Start {
  const char* text;
  int null;
  int output;
  pid_t parent;
  const sigset_t* mask;
};

void run_shell(void* argument) noexcept {
  constexpr int kNotRun = 127;
  const auto& start = *static_cast<const Start*>(argument);
  // What it has started itself outlives a supervisor that is killed.
  if (!die_with_parent(start.parent)) ::_exit(kNotRun);
  for (const int signal : {SIGPIPE, SIGXFSZ}) (void)::signal(signal, SIG_DFL);
  (void)::sigprocmask(SIG_SETMASK, start.mask, nullptr);
  if (::dup2(start.null, STDIN_FILENO) < 0 || ::dup2(start.output, STDOUT_FILENO) < 0)
    ::_exit(kNotRun);
  ::execl("/bin/sh", "sh", "-c", start.text, static_cast<char*>(nullptr));
  ::_exit(kNotRun);
}

}  // namespace

SysResult<SecretCommand> SecretCommand::start(const std::string& text, const sigset_t& mask) {
  const UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  int ends[2];
  if (!null.valid() || ::pipe2(ends, O_CLOEXEC) != 0) return fail();
  UniqueFd output(ends[0]);
  const UniqueFd theirs(ends[1]);
  Start start{text.c_str(), null.get(), theirs.get(), ::getpid(), &mask};
  SBX_CHECK(adopt_orphans());
  const pid_t pid = SBX_TRY(fork_process(run_shell, &start));
  SecretCommand command(pid, {}, std::move(output));
  command.pidfd_ = SBX_TRY(open_process(pid));
  return command;
}

int SecretCommand::wait(std::chrono::milliseconds patience, int interrupt) {
  ::pollfd watched[] = {{pidfd_.get(), POLLIN, 0}, {interrupt, POLLIN, 0}};
  const auto most = static_cast<int>(std::max<long long>(patience.count(), 0));
  int found = 0;
  do found = ::poll(watched, 2, most);
  while (found < 0 && errno == EINTR);
  if (found < 0 || watched[0].revents == 0) return -1;
  const auto how = wait_for(pid_);
  pid_ = 0;
  return how ? how->wait_status : -1;
}

SecretCommand::~SecretCommand() {
  if (pid_ != 0) end_all();
  if (adopts_) (void)::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

/// What the shell has started comes to us when its parent is killed; we have no other children yet.
void SecretCommand::end_all() {
  (void)signal_child(pid_, SIGKILL);
  const auto list = FixedText<64>().add("/proc/self/task/").add(::getpid()).add("/children");
  while (::waitpid(-1, nullptr, 0) > 0 || errno == EINTR) {
    const UniqueFd file(::open(list.c_str(), O_RDONLY | O_CLOEXEC));
    char text[1024];
    const ssize_t got = file.valid() ? ::read(file.get(), text, sizeof text) : -1;
    std::string_view known(text, got > 0 ? static_cast<std::size_t>(got) : 0);
    // What did not fit is cut somewhere, perhaps in a number. The rest comes with the next look.
    known = known.substr(0, known.rfind(' ') + 1);
    for (const std::string_view word : split(known, ' '))
      if (const auto child = parse_number<pid_t>(word)) (void)signal_child(*child, SIGKILL);
  }
}

}  // namespace sbx::os
