// A UDP socket on the wildcard address inside the sandbox: each datagram tells whom it was sent to,
// and an answer comes from there (ip(7) IP_PKTINFO, ipv6(7) IPV6_PKTINFO). Nothing here blocks.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "network/address.hpp"
#include "os/fd.hpp"

namespace sbx::egress {

struct Datagram {
  network::Endpoint from{};
  network::Address to{};  ///< the port is the socket's own
  std::span<const std::uint8_t> bytes{};
  bool whole = true;  ///< false: `room` was too small
};

class DatagramSocket {
 public:
  explicit DatagramSocket(os::UniqueFd socket);

  [[nodiscard]] int get() const { return socket_.get(); }
  /// Into `room`. EAGAIN: there is none.
  [[nodiscard]] SysResult<Datagram> receive(std::span<std::uint8_t> room) const;
  [[nodiscard]] SysResult<void> send(std::span<const std::uint8_t> bytes,
                                     const network::Address& from,
                                     const network::Endpoint& to) const;

 private:
  os::UniqueFd socket_;
  bool v6_ = false;
};

}  // namespace sbx::egress
