// Attacks on the caller's terminal: typing into it, talking to the console, finding it again.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "verdict.hpp"

namespace probe {
namespace {

/// Types "!" into every terminal in reach (CVE-2017-5226). HIGH-BITS sets bits above 32 in the
/// command, which the kernel drops (CVE-2019-10063).
Verdict type_input(Args args) {
  const long command = TIOCSTI | (!args.empty() ? 1L << 32U : 0);
  return in_child([&] {
    int error = ENOTTY;
    const int own = open("/dev/tty", O_RDWR | O_CLOEXEC);
    for (const int fd : {0, 1, 2, own}) {
      if (syscall(SYS_ioctl, fd, command, "!") == 0) {
        return escaped("TIOCSTI on descriptor " + std::to_string(fd));
      }
      if (errno != ENOTTY && errno != EBADF) error = errno;
    }
    return contained("TIOCSTI", error);
  });
}

/// TIOCLINUX pastes the console's selection (CVE-2023-28100). A pty's driver answers ENOTTY, so any
/// answer but EPERM shows that the driver was reached.
Verdict console_input(Args args) {
  const long command = TIOCLINUX | (!args.empty() ? 1L << 32U : 0);
  return in_child([&] {
    char subcode = 6;  // TIOCL_GETSHIFTSTATE: reads only
    const long result = syscall(SYS_ioctl, 0, command, &subcode);
    return judge_reached(result, "TIOCLINUX");
  });
}

/// With no terminal of its own, the payload's /dev/tty must lead nowhere.
Verdict controlling_terminal(Args /*args*/) {
  return judge(open("/dev/tty", O_RDWR | O_CLOEXEC), "open /dev/tty");
}

/// 0 stands for a session whose leader is outside of the pid namespace.
Verdict session(Args /*args*/) {
  const pid_t leader = getsid(0);
  return leader <= 0 ? escaped("in a session of the host")
                     : contained("session of process " + std::to_string(leader));
}

constexpr Verb kVerbs[] = {
    {"tiocsti", "[high-bits]", 0, type_input},
    {"tioclinux", "[high-bits]", 0, console_input},
    {"dev-tty", "", 0, controlling_terminal},
    {"session", "", 0, session},
};

}  // namespace

std::span<const Verb> terminal_verbs() { return kVerbs; }

}  // namespace probe
