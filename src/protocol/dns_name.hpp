// Domain names between the wire and text (RFC 1035 3.1, 5.1). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "protocol/reader.hpp"

namespace sbx::protocol {

/// `bytes` as names are told in DnsQuery::name, label by label or all at once: in small letters,
/// and what no host's name has as a backslash with three digits.
std::string shown_in_names(std::string_view bytes);

inline constexpr std::size_t kMostNameBytes = 255;  ///< on the wire, RFC 1035 2.3.4

/// Reads a name without compression. Lower case, labels with dots between; "" is the root. With a
/// byte that no host's name has, it comes as "(a\000b.example.org)": safe to print, and neither a
/// name nor below one for whoever compares it, because no rule ends with a parenthesis.
std::optional<std::string> read_name(Reader& reader);

/// Skips a name that may end in a pointer, which is not followed. False: it is none.
bool skip_name(Reader& reader);

/// Appends the wire form of `name`, as host_name() gives it. False: it has none.
bool write_name(std::string& out, std::string_view name);

}  // namespace sbx::protocol
