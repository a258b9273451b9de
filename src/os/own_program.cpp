#include "os/own_program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <cerrno>

#include "os/process.hpp"

namespace sbx::os {
namespace {

constexpr int kThird = STDERR_FILENO + 1;
constexpr int kNotRun = 125;

struct Start {
  char* const* argv;
  char* const* env;
  ChildStreams streams;
  pid_t parent;
};

bool take_streams(const ChildStreams& streams) noexcept {
  // All of them are above 2 here, so that none is overwritten before it is copied; the last may be
  // the one that has its number already.
  if (::dup2(streams.in, STDIN_FILENO) < 0 || ::dup2(streams.out, STDOUT_FILENO) < 0 ||
      ::dup2(streams.err, STDERR_FILENO) < 0)
    return false;
  if (streams.third < 0) return true;
  if (streams.third == kThird) return ::fcntl(kThird, F_SETFD, 0) == 0;
  return ::dup2(streams.third, kThird) == kThird;
}

void say(const char* text) noexcept {
  if (::write(STDERR_FILENO, text, ::strlen(text)) < 0) return;  // nobody listens: so be it
}

void run_ourselves(void* argument) noexcept {
  const auto& start = *static_cast<const Start*>(argument);
  if (!die_with_parent(start.parent) || !reset_signals() || ::setpgid(0, 0) != 0 ||
      !take_streams(start.streams))
    end_process(kNotRun);
  // The kernel's own link: the file may have been replaced since.
  ::execve("/proc/self/exe", start.argv, start.env);
  const char* const why = ::strerrordesc_np(errno);
  if (why != nullptr) {
    say("cannot execute sbx: ");
    say(why);
    say("\n");
  }
  end_process(kNotRun);
}

struct Copy {
  pid_t parent;
  void (*work)(void*) noexcept;
  void* argument;
};

void work_as_copy(void* argument) noexcept {
  const auto& copy = *static_cast<const Copy*>(argument);
  if (!die_with_parent(copy.parent) || ::setpgid(0, 0) != 0) end_process(kNotRun);
  copy.work(copy.argument);
  end_process(0);
}

SysResult<OwnChild> held(pid_t pid) {
  auto pidfd = open_process(pid);
  if (!pidfd) {
    (void)signal_child(pid, SIGKILL);
    (void)wait_for(pid);
    return std::unexpected(pidfd.error());
  }
  return OwnChild{pid, std::move(*pidfd)};
}

}  // namespace

std::vector<char*> exec_pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  // execve(2) takes them as it does for historical reasons, and changes none.
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

SysResult<OwnChild> start_own_program(const std::vector<std::string>& words,
                                      const std::vector<std::string>& env,
                                      const ChildStreams& streams) {
  std::vector<std::string> all{"sbx"};
  all.insert(all.end(), words.begin(), words.end());
  const auto argv = exec_pointers(all);
  const auto variables = exec_pointers(env);
  Start start{argv.data(), variables.data(), streams, ::getpid()};
  return held(SBX_TRY(fork_process(run_ourselves, &start)));
}

SysResult<OwnChild> start_copy(void (*work)(void*) noexcept, void* argument) {
  Copy copy{::getpid(), work, argument};
  return held(SBX_TRY(fork_process(work_as_copy, &copy)));
}

}  // namespace sbx::os
