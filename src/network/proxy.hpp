// The HTTP proxy of the host's that connections out have to go through. Pure.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "network/address.hpp"

namespace sbx::network {

struct Proxy {
  std::string host;
  std::uint16_t port = 0;
  std::string credentials{};          ///< "user:password"; empty: none
  std::vector<std::string> bypass{};  ///< NO_PROXY: names, .suffixes, addresses, CIDR; "*"
  bool operator==(const Proxy&) const = default;
};

/// http://[USER:PASSWORD@]HOST[:PORT][/], percent-encoded credentials decoded. The error is what is
/// wrong with it, as the end of a sentence, and without the credentials.
std::expected<Proxy, std::string> parse_proxy(std::string_view url);

/// The entries of NO_PROXY: between commas or spaces, lower case.
std::vector<std::string> parse_bypass(std::string_view no_proxy);
/// Whether a connection to `name` (normal, see normal_name()), or to an address, goes past the
/// proxy, as curl(1) and Go read NO_PROXY: a name is meant with all below it.
bool bypasses(const Proxy& proxy, std::string_view name, std::uint16_t port);
bool bypasses(const Proxy& proxy, const Endpoint& target);

/// "http://***@proxy.example.org:3128": for explain, results and logs.
std::string shown(const Proxy& proxy);

}  // namespace sbx::network
