// The names of reverse lookups (RFC 1035 3.5, RFC 3596 2.5): one form of each address.
#include <algorithm>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "protocol/dns_message.hpp"

namespace sbx::protocol {

namespace {

using network::Address;

std::optional<Address> of_v4(std::string_view labels) {
  const std::vector<std::string_view> parts = split(labels, '.');
  constexpr std::size_t kBytes = 4;
  if (parts.size() != kBytes) return std::nullopt;
  std::array<std::uint8_t, kBytes> bytes{};
  for (std::size_t i = 0; i < kBytes; ++i) {
    const std::string_view part = parts[kBytes - 1 - i];
    const auto byte = parse_number<std::uint8_t>(part);
    if (!byte || (part.size() > 1 && part.starts_with('0'))) return std::nullopt;
    bytes[i] = *byte;
  }
  return network::v4(bytes[0], bytes[1], bytes[2], bytes[3]);
}

std::optional<Address> of_v6(std::string_view labels) {
  Address address;
  constexpr unsigned kBase = 16;
  constexpr unsigned kNibble = 4;
  if (labels.size() != 4 * address.bytes.size() - 1) return std::nullopt;
  for (std::size_t i = 0; i < 2 * address.bytes.size(); ++i) {
    const std::size_t at = labels.size() - 1 - 2 * i;
    const auto nibble = parse_number<std::uint8_t>(labels.substr(at, 1), kBase);
    if (!nibble || (at > 0 && labels[at - 1] != '.')) return std::nullopt;
    std::uint8_t& byte = address.bytes[i / 2];
    byte = static_cast<std::uint8_t>(byte << kNibble | *nibble);
  }
  return address;
}

}  // namespace

std::optional<Address> reverse_name(std::string_view name) {
  constexpr std::string_view kV4 = ".in-addr.arpa";
  constexpr std::string_view kV6 = ".ip6.arpa";
  if (name.ends_with(kV4)) return of_v4(name.substr(0, name.size() - kV4.size()));
  if (name.ends_with(kV6)) return of_v6(name.substr(0, name.size() - kV6.size()));
  return std::nullopt;
}

}  // namespace sbx::protocol
