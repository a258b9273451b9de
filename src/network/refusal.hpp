// How refusals are worded, and the line of a profile that would lift each. Pure.
#pragma once

#include <string>
#include <string_view>

#include "network/policy.hpp"

namespace sbx::network {

/// "network: {allow: ["udp:example.org:443"]}"; empty: no rule can say that.
std::string allow_line(Protocol protocol, std::string_view host, std::uint16_t port);
std::string allow_line(Protocol protocol, const Endpoint& target);

/// "a private address", "the cloud's metadata address", "one of the host's own addresses"; empty:
/// an ordinary one.
std::string described(const Address& address, bool of_host);

Decision refused(std::string because, std::string allow_with = {});
Decision allowed(std::string because);

}  // namespace sbx::network
