// Which bytes are a host's name for us, on every way that a payload can say one. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sbx::protocol {

inline constexpr std::size_t kMostLabel = 63;      ///< bytes, RFC 1035 2.3.4
inline constexpr std::size_t kMostNameText = 253;  ///< the 255 of RFC 1035 2.3.4, written with dots

/// Letters, digits and '-' (RFC 1123 2.1), and '_', which names of services have (RFC 8552).
bool is_name_byte(char byte);

/// `text` in lower case without a final dot; nullopt when it is no name: an empty label, one or all
/// of it too long, another byte.
std::optional<std::string> host_name(std::string_view text);

/// `name`, as of host_name(), is what inet_aton(3) or a URL's parser takes for an IPv4 address: its
/// last label starts with a digit and is a number ("1.2.3.4", "2130706433", "0x7f.1").
bool is_numeric(std::string_view name);

}  // namespace sbx::protocol
