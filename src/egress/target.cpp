#include <algorithm>

#include "egress/desk.hpp"
#include "egress/own_addresses.hpp"

namespace sbx::egress {

Target target_of(const Desk& desk, network::Protocol protocol, const network::Endpoint& asked) {
  Target target{protocol, {}, asked};
  if (const auto name = desk.names.name_of(asked.address)) {
    target.name = *name;
    target.decision = network::decide_name(desk.policy, protocol, target.name, asked.port);
    return target;
  }
  if (Names::is_synthetic(asked.address)) {
    target.decision.because = "an address of sbx's own that stands for no name";
    return target;
  }
  const bool loopback = network::class_of(asked.address) == network::AddressClass::loopback;
  target.host_port = loopback && protocol == network::Protocol::tcp &&
                     std::ranges::count(desk.policy.host_ports, asked.port) != 0;
  const bool own = !loopback && is_own_address(asked.address).value_or(true);
  target.decision = network::decide_address(desk.policy, protocol, asked, own);
  return target;
}

}  // namespace sbx::egress
