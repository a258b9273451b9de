// The only way out of a sandbox whose network has an allow list: the DNS that it asks, and the
// other side of every connection that it makes. One event loop, no threads; what the payload can
// make it keep is bounded.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "egress/connection.hpp"
#include "egress/desk.hpp"
#include "egress/dns_service.hpp"
#include "egress/listener.hpp"
#include "egress/publisher.hpp"
#include "egress/refused_watch.hpp"
#include "egress/udp_flows.hpp"
#include "os/gateway_sockets.hpp"
#include "os/socket_mint.hpp"

namespace sbx::egress {

/// How many descriptors it may have open at once for this policy.
std::uint64_t descriptors_for(const network::Policy& policy);

class Gateway {
 public:
  /// `policy` outlives it. `tell`: see Account.
  Gateway(const network::Policy& policy, Account::Tell tell);
  ~Gateway();
  Gateway(const Gateway&) = delete;
  Gateway& operator=(const Gateway&) = delete;
  /// Once.
  SysResult<void> start(os::GatewaySockets sockets, std::vector<Published> published);

  /// Readable when step() has something to do.
  [[nodiscard]] int fd() const { return loop_.fd(); }
  [[nodiscard]] std::optional<Nanos> next() const { return loop_.next(); }
  void step() { loop_.step(); }
  /// The payload is about to connect to this port: listens there, if some rule allows it.
  void port_wanted(std::uint16_t port);

  /// The payload has ended, and the host's side shall still get what it has sent.
  [[nodiscard]] bool has_to_send() const;
  /// The run is over: what is still under way is accounted for as well.
  void conclude();
  [[nodiscard]] const Account& account() const { return account_; }

 private:
  SysResult<void> listen(os::UniqueFd socket, std::uint16_t port);
  Connection& keep(os::UniqueFd inside, Target target);

  const network::Policy& policy_;
  Loop loop_;
  Names names_;
  std::unique_ptr<Resolver> resolver_;
  Account account_;
  Slots slots_;
  Throttle throttle_;
  Pipes pipes_;
  Desk desk_;
  std::optional<os::SocketMint> mint_{};
  std::unique_ptr<DnsService> dns_{};
  std::unique_ptr<UdpFlows> flows_{};
  std::map<std::uint16_t, std::unique_ptr<Listener>> listeners_{};
  std::deque<std::uint16_t> late_{};  ///< of listeners_, the oldest first
  std::vector<std::unique_ptr<RefusedWatch>> refused_{};
  std::vector<std::unique_ptr<Publisher>> publishers_{};
  std::map<Connection*, std::unique_ptr<Connection>> connections_{};
};

}  // namespace sbx::egress
