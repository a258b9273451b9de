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

/// "network: {deny: !replace ["10.0.0.0/8:53"]}": what `policy` denies without `entry`, one of its
/// own; empty: that is more than anybody would read.
std::string deny_line(const Policy& policy, std::string_view entry);

Decision refused(std::string because, std::string allow_with = {});
/// `line` opens a port that nothing allows yet. Without it, and with the reason, where no profile
/// could have it beside the rest of this one.
Decision lacking(const Policy& policy, Protocol protocol, std::uint16_t port, std::string because,
                 std::string line);
Decision allowed(std::string because);

}  // namespace sbx::network
