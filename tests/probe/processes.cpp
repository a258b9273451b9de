// Attacks on processes outside, and on the end of the run: seeing, signalling, outliving.
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/shm.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>

#include "verdict.hpp"

namespace probe {
namespace {

void sleep_ms(long ms) {
  timespec left{ms / 1000, (ms % 1000) * 1'000'000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

/// Inside there are init and the payload, nothing else.
Verdict sees_processes(Args /*args*/) {
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(opendir("/proc"), closedir);
  if (!proc) return untestable("opendir /proc", errno);
  std::string others;
  while (const dirent* entry = readdir(proc.get())) {
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) == 0) continue;
    const int pid = std::atoi(entry->d_name);
    if (pid != 1 && pid != getpid()) others += " " + std::to_string(pid);
  }
  return others.empty() ? contained("only init and the payload") : escaped("sees" + others);
}

Verdict signal_process(Args args) {
  return judge(kill(std::atoi(args[0]), 0), std::string("kill ") + args[0] + " 0");
}

/// SIGTERM for everything in reach. Refuses to run where it could reach the host.
Verdict signal_all(Args /*args*/) {
  if (getpid() > 100) return untestable("this is no pid namespace of our own");
  signal(SIGTERM, SIG_IGN);
  (void)!kill(-1, SIGTERM);
  return contained("SIGTERM sent to all in reach");
}

/// Says "ready" and waits for the end of stdin, so that the host can look at the process.
Verdict hold(Args /*args*/) {
  std::puts("ready");
  std::fflush(stdout);
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
  return contained("held");
}

/// Double fork, own session, stdout kept open: the daemon writes FILE after MS milliseconds unless
/// it dies with the run. The text after FILE only marks it in the host's process list.
Verdict daemonise(Args args) {
  const pid_t child = fork();
  if (child < 0) return untestable("fork", errno);
  if (child == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    for (int number = 1; number < NSIG; ++number) signal(number, SIG_IGN);
    sleep_ms(std::atol(args[0]));
    const int fd = open(args[1], O_WRONLY | O_CREAT, 0644);
    if (fd >= 0) close(fd);
    _exit(0);
  }
  return contained("left a daemon");
}

/// Ignores every signal there is and stays for MS milliseconds.
Verdict ignore_signals(Args args) {
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_IGN);
  std::puts("ready");
  std::fflush(stdout);
  sleep_ms(std::atol(args[0]));
  return escaped("stayed to the end");
}

Verdict shared_memory(Args args) {
  const auto key = static_cast<key_t>(std::strtol(args[0], nullptr, 10));
  return judge(shmget(key, 0, 0), "shmget of the host's segment");
}

constexpr Verb kVerbs[] = {
    {"sees-processes", "", 0, sees_processes},
    {"signal", "PID", 1, signal_process},
    {"signal-all", "", 0, signal_all},
    {"hold", "[MARK]", 0, hold},
    {"daemonise", "MS FILE [MARK]", 2, daemonise},
    {"ignore-signals", "MS [MARK]", 1, ignore_signals},
    {"shared-memory", "KEY", 1, shared_memory},
};

}  // namespace

std::span<const Verb> process_verbs() { return kVerbs; }

}  // namespace probe
