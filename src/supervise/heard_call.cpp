#include "supervise/heard_call.hpp"

#include <sys/socket.h>
#include <sys/syscall.h>

#include <cstddef>
#include <cstring>

#include "base/machine.hpp"
#include "seccomp/calls.hpp"

namespace sbx::supervise {

bool same_call(const seccomp_data& a, const seccomp_data& b) {
  return a.nr == b.nr && a.arch == b.arch && std::memcmp(a.args, b.args, sizeof a.args) == 0;
}

std::string operation_of(const seccomp_data& call) {
  const std::string number = std::to_string(static_cast<unsigned>(call.nr));
  if (call.arch != kOwnArchitecture) return "32-bit call " + number;
  const seccomp::CallFacts facts = seccomp::find_call(static_cast<unsigned>(call.nr));
  return facts ? std::string(facts.call->name) : "call " + number;
}

bool connects(const seccomp_data& call) {
  const auto fast = [&call](std::size_t flags) { return (call.args[flags] & MSG_FASTOPEN) != 0; };
  switch (call.nr) {
    case SYS_connect:
      return true;
    case SYS_sendmsg:
      return fast(2);
    case SYS_sendto:
    case SYS_sendmmsg:
      return fast(3);
    default:
      return false;
  }
}

std::optional<os::NamedAddress> connected_to(const os::SeccompNotice& notice) {
  const auto& args = notice.call.args;
  switch (notice.call.nr) {
    case SYS_connect:
      return os::thread_address(notice.thread, args[1], args[2]);
    case SYS_sendto:
      return os::thread_address(notice.thread, args[4], args[5]);
    default:
      return os::thread_message_address(notice.thread, args[1]);
  }
}

}  // namespace sbx::supervise
