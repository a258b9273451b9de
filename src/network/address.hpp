// IP addresses as values. Pure. IPv4 is kept as IPv4-mapped IPv6 (::ffff:0:0/96, RFC 4291 2.5.5.2),
// so that one form of an address has one value, however it was written or received.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sbx::network {

struct Address {
  std::array<std::uint8_t, 16> bytes{};  ///< network order

  [[nodiscard]] bool is_v4() const;
  auto operator<=>(const Address&) const = default;
};

/// Of four bytes in network order.
Address v4(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d);
/// As inet_pton(3) reads it: four decimal numbers, or RFC 4291; nothing else is an address.
std::optional<Address> parse_address(std::string_view text);
std::string to_string(const Address& address);

struct Endpoint {
  Address address{};
  std::uint16_t port = 0;
  auto operator<=>(const Endpoint&) const = default;
};
/// "192.0.2.1:443", "[2001:db8::1]:443"
std::string to_string(const Endpoint& endpoint);

/// The addresses whose first `bits` bits are those of `first`; `bits` counts within the 128.
struct Prefix {
  Address first{};
  unsigned bits = 128;

  [[nodiscard]] bool contains(const Address& address) const;
  bool operator==(const Prefix&) const = default;
};
/// "10.1.0.0/16", "2001:db8::/32", or one address.
std::optional<Prefix> parse_prefix(std::string_view text);

/// What an address is for (IANA special-purpose registries, RFC 6890).
enum class AddressClass {
  global,       ///< none of the others
  private_use,  ///< RFC 1918, shared (100.64/10), ULA, site-local
  link_local,   ///< 169.254/16 with the metadata services of clouds, fe80::/10
  loopback,
  multicast,  ///< with broadcast
  reserved,   ///< 0/8, 240/4, 192.0.0/24, 198.18/15, ::/128 ...
};

/// Of an address that carries an IPv4 one for a translator (NAT64, 6to4, Teredo, v4-compatible):
/// the stricter of both.
AddressClass class_of(const Address& address);
/// Is `named` of the class that `address` has, and no wider than what the registries have for it?
bool names_class_of(const Prefix& named, const Address& address);
/// "private", "link-local", "loopback", "multicast", "reserved"; "global"
std::string_view to_string(AddressClass what);
std::optional<AddressClass> parse_address_class(std::string_view text);
/// Where a cloud hands out its machines' credentials.
bool is_metadata(const Address& address);

}  // namespace sbx::network
