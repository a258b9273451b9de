// IPv6 addresses that have an IPv4 one in them, to which a translator on the way sends (NAT64,
// 6to4, Teredo and the like).
#pragma once

#include <vector>

#include "network/address.hpp"

namespace sbx::network {

/// Those of `address`, whoever translates; none of an IPv4 address and of most of IPv6.
std::vector<Address> carried_by(const Address& address);

}  // namespace sbx::network
