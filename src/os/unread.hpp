// What sockets keep for whoever has not read it. A group of memory counts the data of AF_UNIX, what
// has come by UDP, and TCP's but for connections that nobody has accepted. It counts neither what
// rtnetlink(7) answers, nor what stands in error queues (IP_RECVERR of ip(7)), nor what is to go by
// UDP: for each socket twice net.core.rmem_max, or wmem_max.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "os/fd.hpp"

namespace sbx::os {

/// How many sockets there are in a process's network namespace: none for most commands, which is
/// all that is looked at then. Its file stays open, for looks that cost a few microseconds.
class SocketCount {
 public:
  /// Of `member`, always the same one. 0 as well where nothing is to be seen.
  std::uint64_t read(pid_t member);

 private:
  UniqueFd file_;
};

/// Bytes, of all `sockets` in the network namespace of `member` together; of TCP's only those that
/// nobody has accepted, without error queues, of which /proc says nothing. Who has passed `enough`
/// need not be counted to the end. 0 as well where nothing is to be seen.
std::uint64_t unread_bytes(pid_t member, std::uint64_t sockets, std::uint64_t enough);

}  // namespace sbx::os
