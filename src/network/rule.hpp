// One rule of `network.allow` and `network.deny`: [udp:]HOST:PORT. HOST is a name, *.SUFFIX, an
// address or CIDR (IPv6 in brackets); PORT a number, FIRST-LAST or *. Pure.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <variant>

#include "network/address.hpp"

namespace sbx::network {

enum class Protocol { tcp, udp };
std::string_view to_string(Protocol protocol);  ///< "tcp", "udp"

struct PortRange {
  std::uint16_t first = 1;
  std::uint16_t last = 65535;
  [[nodiscard]] bool contains(std::uint16_t port) const { return port >= first && port <= last; }
  [[nodiscard]] unsigned size() const { return unsigned{last} - first + 1; }
  bool operator==(const PortRange&) const = default;
};

struct ExactName {  ///< lower case, no final dot
  std::string name;
  bool operator==(const ExactName&) const = default;
};
struct NameSuffix {  ///< of *.example.org: "example.org", which itself does not match
  std::string suffix;
  bool operator==(const NameSuffix&) const = default;
};

struct Rule {
  Protocol protocol = Protocol::tcp;
  std::variant<ExactName, NameSuffix, Prefix> host{};
  PortRange ports{};
  std::string text{};  ///< as in the profile

  [[nodiscard]] bool names_host(std::string_view name) const;  ///< `name` normal, see normal_name()
  [[nodiscard]] bool contains(const Address& address) const;
};

/// Lower case, without the final dot. Internationalized names are compared in their ASCII form
/// (xn--, RFC 5890), which is how programs ask for them.
std::string normal_name(std::string_view name);

/// The error is what is wrong with it, as the end of a sentence: "needs a port: HOST:443".
std::expected<Rule, std::string> parse_rule(std::string_view text);

}  // namespace sbx::network
