// The IANA registries of special-purpose addresses (RFC 6890, 8190) as one table, first match wins.
// What is in no registry is global in IPv4; of IPv6 only 2000::/3 has been given out (RFC 4291).
#include <algorithm>
#include <array>
#include <span>

#include "network/address.hpp"
#include "network/carried.hpp"

namespace sbx::network {
namespace {

using enum AddressClass;

struct Named {
  std::string_view prefix;
  AddressClass what;
};

constexpr Named kV4[] = {
    {"0.0.0.0/8", reserved},           // "this network", which Linux takes for itself
    {"10.0.0.0/8", private_use},       // RFC 1918
    {"100.64.0.0/10", private_use},    // RFC 6598, shared by providers
    {"127.0.0.0/8", loopback},         // RFC 1122
    {"168.63.129.16/32", link_local},  // Azure's host, an ordinary address in form only
    {"169.254.0.0/16", link_local},    // RFC 3927
    {"172.16.0.0/12", private_use},    // RFC 1918
    {"192.0.0.0/24", reserved},        // RFC 6890
    {"192.0.2.0/24", reserved},        // RFC 5737, for documents
    {"192.88.99.0/24", reserved},      // RFC 7526, once of 6to4
    {"192.168.0.0/16", private_use},   // RFC 1918
    {"198.18.0.0/15", reserved},       // RFC 2544
    {"198.51.100.0/24", reserved},     // RFC 5737
    {"203.0.113.0/24", reserved},      // RFC 5737
    {"224.0.0.0/4", multicast},        // RFC 5771
    {"255.255.255.255/32", multicast}, {"240.0.0.0/4", reserved},  // RFC 1112
};

constexpr Named kV6[] = {
    {"::1/128", loopback},
    {"64:ff9b::/96", global},         // RFC 6052, judged by what it carries
    {"64:ff9b:1::/48", private_use},  // RFC 8215
    {"fc00::/7", private_use},        // RFC 4193
    {"fec0::/10", private_use},       // RFC 3879, site-local
    {"fe80::/10", link_local},        // RFC 4291
    {"ff00::/8", multicast},          // RFC 4291
    {"2001::/23", reserved},          // RFC 2928, Teredo in it
    {"2001:db8::/32", reserved},      // RFC 3849, for documents
    {"3fff::/20", reserved},          // RFC 9637, for documents
    {"2000::/3", global},
    {"::/0", reserved},
};

/// Where an address of this prefix has the IPv4 address that a translator would send to.
struct Carrier {
  std::string_view prefix;
  std::size_t at;        ///< of the first byte
  std::uint8_t flipped;  ///< exclusive or of every byte
};
constexpr Carrier kCarriers[] = {
    {"64:ff9b::/96", 12, 0},     // RFC 6052, NAT64
    {"64:ff9b:1::/48", 12, 0},   // RFC 8215, the same with /96
    {"2002::/16", 2, 0},         // RFC 3056, 6to4
    {"2001::/32", 4, 0},         // RFC 4380, Teredo: the server
    {"2001::/32", 12, 0xff},     // and the client, flipped
    {"::/96", 12, 0},            // RFC 4291, v4-compatible
    {"::ffff:0:0:0/96", 12, 0},  // RFC 7915, v4-translated
};

constexpr std::array<std::string_view, 6> kWords{"global",   "private",   "link-local",
                                                 "loopback", "multicast", "reserved"};

/// How much harm an address of this class can do, for the stricter of two.
int strictness(AddressClass what) {
  constexpr std::array<int, 6> kRanks{0, 1, 4, 5, 3, 2};
  return kRanks.at(static_cast<std::size_t>(what));
}

/// The tables are read once: an address is classed for every connection.
struct Range {
  Prefix prefix;
  AddressClass what;
};
template <std::size_t N>
std::array<Range, N> read_ranges(const Named (&table)[N]) {
  std::array<Range, N> out{};
  std::ranges::transform(table, out.begin(), [](const Named& entry) {
    return Range{.prefix = parse_prefix(entry.prefix).value_or(Prefix{}), .what = entry.what};
  });
  return out;
}

Range find(std::span<const Range> ranges, const Address& address) {
  const auto found =
      std::ranges::find_if(ranges, [&](const Range& r) { return r.prefix.contains(address); });
  return found == ranges.end() ? Range{.prefix = {}, .what = global} : *found;
}

Range range_of_v4(const Address& address) {
  static const auto ranges = read_ranges(kV4);
  return find(ranges, address);
}

Range range_of(const Address& address) {
  if (address.is_v4()) return range_of_v4(address);
  static const auto ranges = read_ranges(kV6);
  return find(ranges, address);
}

}  // namespace

std::vector<Address> carried_by(const Address& address) {
  std::vector<Address> all;
  if (address.is_v4() || range_of(address).what == loopback) return all;  // ::1: in ::/96 by form
  for (const Carrier& carrier : kCarriers) {
    if (!parse_prefix(carrier.prefix)->contains(address)) continue;
    const auto byte = [&](std::size_t i) {
      return static_cast<std::uint8_t>(address.bytes.at(carrier.at + i) ^ carrier.flipped);
    };
    all.push_back(v4(byte(0), byte(1), byte(2), byte(3)));
  }
  return all;
}

AddressClass class_of(const Address& address) {
  AddressClass out = range_of(address).what;
  for (const Address& carried : carried_by(address)) {
    const AddressClass inner = range_of_v4(carried).what;
    if (strictness(inner) > strictness(out)) out = inner;
  }
  return out;
}

bool names_class_of(const Prefix& named, const Address& address) {
  return class_of(named.first) == class_of(address) && named.bits >= range_of(address).prefix.bits;
}

std::string_view to_string(AddressClass what) { return kWords.at(static_cast<std::size_t>(what)); }

std::optional<AddressClass> parse_address_class(std::string_view text) {
  const auto* const found = std::ranges::find(kWords, text);
  if (found == kWords.end()) return std::nullopt;
  return static_cast<AddressClass>(found - kWords.begin());
}

bool is_metadata(const Address& address) {
  constexpr std::array<std::string_view, 7> kKnown{
      "169.254.169.254",  // most of them
      "169.254.170.2",    // Amazon's containers
      "168.63.129.16",    // Azure
      "100.100.100.200",  // Alibaba
      "192.0.0.192",      // Oracle
      "fd00:ec2::254",    // Amazon
      "fd20:ce::254",     // Google
  };
  return std::ranges::any_of(kKnown,
                             [&](std::string_view text) { return parse_address(text) == address; });
}

}  // namespace sbx::network
