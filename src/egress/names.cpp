// Addresses are given in the order in which names are asked for: the number of a name is the last
// 32 bits of its IPv6 address, and the distance from 198.18.0.0 of its IPv4 one.
#include "egress/names.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace sbx::egress {
namespace {

using network::Address;

constexpr std::uint32_t kFirstName = 2;  ///< 198.18.0.2; .1 is the server of plan/etc_files.cpp
constexpr std::uint32_t kV4Base = (198U << 24U) | (18U << 16U);
constexpr std::uint32_t kV4Mask = 0xfffe0000U;  ///< /15

/// fd5b:7862:7362::/96: one prefix for every run, since no two
/// sandboxes ever see each other. (RFC 4193 3.2.2 wants it random so that networks can be joined.)
constexpr std::array<std::uint8_t, 12> kV6Base{0xfd, 0x5b, 0x78, 0x62, 0x73, 0x62};

std::uint32_t last_word(const Address& address) {
  std::uint32_t word = 0;
  for (std::size_t at = 12; at < 16; ++at) word = word << 8U | address.bytes[at];
  return word;
}

Address v4_of(std::uint32_t number) {
  const std::uint32_t word = kV4Base + number;
  const auto byte = [&](unsigned shift) { return static_cast<std::uint8_t>(word >> shift); };
  return network::v4(byte(24), byte(16), byte(8), byte(0));
}

Address v6_of(std::uint32_t number) {
  Address address;
  std::ranges::copy(kV6Base, address.bytes.begin());
  for (std::size_t at = 0; at < 4; ++at)
    address.bytes[15 - at] = static_cast<std::uint8_t>(number >> (8 * at));
  return address;
}

/// nullopt: of no synthetic range.
std::optional<std::uint32_t> number_of(const Address& address) {
  const std::uint32_t word = last_word(address);
  if (address.is_v4()) {
    if ((word & kV4Mask) != kV4Base) return std::nullopt;
    return word - kV4Base;
  }
  if (!std::ranges::equal(kV6Base, std::span(address.bytes).first(kV6Base.size())))
    return std::nullopt;
  return word;
}

}  // namespace

std::optional<Synthetic> Names::address_of(const std::string& name) {
  auto known = numbers_.find(name);
  if (known == numbers_.end()) {
    if (names_.size() >= kMostNames) return std::nullopt;
    const auto number = static_cast<std::uint32_t>(names_.size()) + kFirstName;
    names_.push_back(name);
    known = numbers_.emplace(name, number).first;
  }
  return Synthetic{.v4 = v4_of(known->second), .v6 = v6_of(known->second)};
}

std::optional<std::string_view> Names::name_of(const Address& address) const {
  const auto number = number_of(address);
  if (!number.has_value() || *number < kFirstName || *number - kFirstName >= names_.size())
    return std::nullopt;
  return names_[*number - kFirstName];
}

bool Names::is_synthetic(const Address& address) { return number_of(address).has_value(); }

}  // namespace sbx::egress
