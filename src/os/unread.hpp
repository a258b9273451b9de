// What sockets keep for whoever has not read it. A group of memory counts the data of AF_UNIX, what
// has come by UDP, and TCP's but for connections that nobody has accepted. It counts neither what
// rtnetlink(7) answers, nor what stands in error queues (IP_RECVERR of ip(7)), nor what is to go by
// UDP: for each socket twice net.core.rmem_max, or wmem_max.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

/// How many sockets there are: so few that what they keep together has a bound, or more.
enum class Sockets { none, few, many };

/// The sockets in the network namespace of one process.
class UnreadSockets {
 public:
  /// `few` cannot keep more than `enough`. Most commands have none, or these, for which a look
  /// costs some microseconds: its file stays open. None as well of a process that has ended and
  /// that nobody has waited for. ENOENT: it has gone, or is hidden (hidepid of proc(5)); EPERM,
  /// EACCES: it is hidden. Another errno: the host has no descriptor or memory for a look.
  SysResult<Sockets> count(pid_t member, std::uint64_t enough);
  /// Bytes, of all together; of TCP's only those that nobody has accepted, without error queues, of
  /// which /proc says nothing. What has passed `enough` need not be counted to the end. An errno,
  /// as above.
  [[nodiscard]] SysResult<std::uint64_t> bytes(pid_t member, std::uint64_t enough) const;

 private:
  UniqueFd count_;
  std::uint64_t most_of_one_ = 0;  ///< of netlink or datagrams; read when it is needed
};

}  // namespace sbx::os
