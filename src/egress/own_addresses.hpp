// Is an address one of this host's own? Then services answer there that listen for the host alone,
// or for its neighbours, whatever the address looks like.
#pragma once

#include "base/error.hpp"
#include "network/address.hpp"

namespace sbx::egress {

/// Asks the kernel's routing table (rtnetlink(7), RTM_GETROUTE): connections to it would stay here,
/// or it is a broadcast or multicast address; or it has such an IPv4 address in it, to which a
/// translator may send. An address without a route is nobody's: false.
SysResult<bool> is_own_address(const network::Address& address);

}  // namespace sbx::egress
