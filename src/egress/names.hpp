// The names that the payload has asked for, each with synthetic addresses of its own: 198.18.0.0/15
// (RFC 2544) and a unique local prefix (RFC 4193). The address of a later connection is the name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "network/address.hpp"

namespace sbx::egress {

inline constexpr std::size_t kMostNames = 8192;  ///< a wildcard allows any number of them

struct Synthetic {
  network::Address v4{};
  network::Address v6{};
};

class Names {
 public:
  /// The same for the same name, as long as the run lasts; nullopt: there are too many.
  std::optional<Synthetic> address_of(const std::string& name);
  /// Stays valid. nullopt: nobody's.
  [[nodiscard]] std::optional<std::string_view> name_of(const network::Address& address) const;
  /// In the ranges that names get addresses from, whether given or not.
  static bool is_synthetic(const network::Address& address);

 private:
  std::deque<std::string> names_{};  ///< the n-th has the address with the number n + 2
  std::unordered_map<std::string, std::uint32_t> numbers_{};
};

}  // namespace sbx::egress
