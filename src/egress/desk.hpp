// What all connections of a run share. Outlives them.
#pragma once

#include "egress/account.hpp"
#include "egress/loop.hpp"
#include "egress/names.hpp"
#include "egress/pipes.hpp"
#include "egress/resolver.hpp"
#include "egress/slots.hpp"
#include "egress/throttle.hpp"
#include "network/policy.hpp"

namespace sbx::egress {

struct Desk {
  const network::Policy& policy;
  Loop& loop;
  Names& names;
  Resolver& resolver;
  Account& account;
  Slots& slots;
  Throttle& throttle;
  Pipes& pipes;
  Nanos per_address = 10 * kSecond;  ///< to connect there, and for a proxy to answer
  /// With a connection in which nothing passes any more when one side has ended.
  Nanos patience = 300 * kSecond;
};

/// Whom a connection of the payload's is for, told by the address that it went to.
struct Target {
  network::Protocol protocol = network::Protocol::tcp;
  std::string name{};         ///< empty: the payload wrote the address itself
  network::Endpoint asked{};  ///< with the port
  network::Decision decision{};
  bool host_port = false;              ///< network.host_ports: on the host's loopback
  Verdict verdict = Verdict::allowed;  ///< of a connection that comes about

  /// As the result names it.
  [[nodiscard]] std::string host() const {
    return name.empty() ? network::to_string(asked.address) : name;
  }
};

/// Looks `asked` up among the names, and decides. An address whose standing cannot be found out is
/// taken for one of the host's own.
Target target_of(const Desk& desk, network::Protocol protocol, const network::Endpoint& asked);

}  // namespace sbx::egress
