// What a run may reach, and what decides it. Pure: the gateway enforces with these functions, and
// `explain --why host:` answers with them.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "network/address.hpp"
#include "network/proxy.hpp"
#include "network/rule.hpp"

namespace sbx::network {

/// Where the DNS inside answers, by tcp and udp: no rule reaches this port of others.
inline constexpr std::uint16_t kDnsPort = 53;

/// A port of the host that leads to one of the sandbox's.
struct Publish {
  Address address{};  ///< of the host; 127.0.0.1 unless said
  std::uint16_t host_port = 0;
  std::uint16_t port = 0;
  bool operator==(const Publish&) const = default;
};
/// [ADDRESS:]HOST_PORT:PORT, IPv6 in brackets. The error is the end of a sentence.
std::expected<Publish, std::string> parse_publish(std::string_view text);
/// "127.0.0.1:8080:80"
std::string to_string(const Publish& publish);

/// Each is a socket of its own inside, from the start.
inline constexpr unsigned kMostUdpPorts = 256;
inline constexpr unsigned kMostHostPorts = 64;

struct Limits {
  std::uint32_t connections = 512;       ///< alive at once, flows of udp included
  std::optional<std::uint64_t> down{};   ///< bytes a second, all together
  std::optional<std::uint64_t> up{};     ///< bytes a second, all together
  std::optional<std::uint64_t> total{};  ///< bytes both ways
  bool operator==(const Limits&) const = default;
};

struct Policy {
  std::vector<Rule> allow{};
  std::vector<Rule> deny{};                  ///< wins over allow
  std::vector<AddressClass> deny_classes{};  ///< wins over allow; the others need an address rule
  std::vector<std::uint16_t> host_ports{};
  std::vector<Publish> publish{};
  bool verify_name = true;
  std::optional<Proxy> proxy{};
  Limits limits{};
};

struct Decision {
  bool allowed = false;
  std::string because{};     ///< "network.allow: example.org:443", "a private address", ...
  std::string allow_with{};  ///< a line of a profile; empty: none does, or it is allowed
};

/// Whether the DNS inside answers for `name` (normal, see normal_name()): some rule allows one
/// port.
Decision decide_lookup(const Policy& policy, std::string_view name);
/// A connection to a name, before it is resolved.
Decision decide_name(const Policy& policy, Protocol protocol, std::string_view name,
                     std::uint16_t port);
/// A connection to an address that the payload wrote itself. 127.0.0.0/8 and ::1 are the host's,
/// for host_ports (tcp); `of_host`: it is one of the host's own addresses, which only an address
/// rule allows.
Decision decide_address(const Policy& policy, Protocol protocol, const Endpoint& target,
                        bool of_host);
/// An address that an allowed name has resolved to, right before connecting to it.
Decision decide_resolved(const Policy& policy, Protocol protocol, std::string_view name,
                         const Endpoint& target, bool of_host);

/// The ports that somebody has to listen on inside, merged and in order: of `allow` and host_ports.
std::vector<PortRange> ports_of(const Policy& policy, Protocol protocol);

}  // namespace sbx::network
