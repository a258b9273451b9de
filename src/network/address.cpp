#include "network/address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/quantity.hpp"

namespace sbx::network {
namespace {

constexpr unsigned kV4Bits = 96;  ///< in front of the 32 of an IPv4 address
constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

/// The first `bits` bits of `address`, zeroes behind.
Address masked(Address address, unsigned bits) {
  for (unsigned i = 0; i < address.bytes.size(); ++i) {
    const unsigned kept = bits <= i * 8 ? 0 : std::min(bits - (i * 8), 8U);
    address.bytes[i] &= static_cast<std::uint8_t>(0xff00U >> kept);
  }
  return address;
}

}  // namespace

bool Address::is_v4() const { return std::ranges::equal(std::span(bytes).first<12>(), kMapped); }

Address v4(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d) {
  Address out;
  std::ranges::copy(kMapped, out.bytes.begin());
  out.bytes[12] = a;
  out.bytes[13] = b;
  out.bytes[14] = c;
  out.bytes[15] = d;
  return out;
}

std::optional<Address> parse_address(std::string_view text) {
  // inet_pton wants a NUL at the end, and would not see what stands behind one in the middle.
  if (text.size() >= INET6_ADDRSTRLEN || text.contains('\0')) return std::nullopt;
  const std::string copy(text);
  std::array<std::uint8_t, 4> four{};
  if (::inet_pton(AF_INET, copy.c_str(), four.data()) == 1)
    return v4(four[0], four[1], four[2], four[3]);
  Address out;
  if (::inet_pton(AF_INET6, copy.c_str(), out.bytes.data()) == 1) return out;
  return std::nullopt;
}

std::string to_string(const Address& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const bool four = address.is_v4();
  ::inet_ntop(four ? AF_INET : AF_INET6, address.bytes.data() + (four ? kMapped.size() : 0),
              text.data(), text.size());
  return text.data();
}

std::string to_string(const Endpoint& endpoint) {
  const std::string address = to_string(endpoint.address);
  const std::string port = ':' + std::to_string(endpoint.port);
  return endpoint.address.is_v4() ? address + port : '[' + address + ']' + port;
}

bool Prefix::contains(const Address& address) const {
  // ::/0 is every IPv6 address; that IPv4 is kept inside of them is nobody's wish.
  if (bits < kV4Bits && address.is_v4()) return false;
  return masked(address, bits) == masked(first, bits);
}

std::optional<Prefix> parse_prefix(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string_view front = text.substr(0, slash);
  const std::optional<Address> address = parse_address(front);
  if (!address) return std::nullopt;
  if (slash == std::string_view::npos) return Prefix{.first = *address, .bits = 128};
  const bool four = !front.contains(':');
  const auto bits = parse_number<unsigned>(text.substr(slash + 1));
  if (!bits || *bits > (four ? 32U : 128U)) return std::nullopt;
  const unsigned counted = *bits + (four ? kV4Bits : 0);
  return Prefix{.first = masked(*address, counted), .bits = counted};
}

}  // namespace sbx::network
