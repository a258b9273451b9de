#include "network/rule.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"

namespace sbx::network {
namespace {

template <class T>
using Read = std::expected<T, std::string>;

/// std::unexpected("...") would be an error of type const char*.
std::unexpected<std::string> wrong(std::string what) { return std::unexpected(std::move(what)); }

constexpr std::string_view kUdp = "udp:";

/// The two halves of HOST:PORT; the host without its brackets.
struct Halves {
  std::string_view host;
  std::string_view port;
};

Read<Halves> part(std::string_view text) {
  if (text.contains("://")) return wrong("is a URL; write HOST:PORT");
  if (text.contains(',')) return wrong("is a list; each rule is one of its own");
  if (text.ends_with("/tcp") || text.ends_with("/udp"))
    return wrong("has its protocol behind; a rule begins with `udp:`, or is for TCP");
  if (text.starts_with("tcp:")) return wrong("needs no `tcp:`, which is what is meant without");
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return wrong("has no closing `]`");
    const std::string_view host = text.substr(1, end - 1);
    const std::string_view rest = text.substr(end + 1);
    if (!rest.starts_with(':')) return wrong("needs a port: [ADDRESS]:443");
    if (!host.contains(':')) return wrong("has brackets around something that is no IPv6 address");
    return Halves{.host = host, .port = rest.substr(1)};
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return wrong("needs a port: HOST:443");
  const std::string_view port = text.substr(colon + 1);
  if (port.contains(':')) return wrong("needs brackets around an IPv6 address: [ADDRESS]:443");
  return Halves{.host = text.substr(0, colon), .port = port};
}

Read<PortRange> read_ports(std::string_view text) {
  if (text == "*") return PortRange{};
  const std::size_t dash = text.find('-');
  const auto first = parse_number<std::uint16_t>(text.substr(0, dash));
  const auto last =
      dash == std::string_view::npos ? first : parse_number<std::uint16_t>(text.substr(dash + 1));
  if (!first || !last || *first == 0 || *last == 0)
    return wrong(dash == std::string_view::npos
                     ? "has a port that is no number from 1 to 65535, FIRST-LAST or *"
                     : "has a range of ports that is not FIRST-LAST, each from 1 to 65535");
  if (*first > *last) return wrong("has a range of ports that ends before it begins");
  return PortRange{.first = *first, .last = *last};
}

/// Labels as in RFC 1123, and with `_` for service names (RFC 8552).
std::string name_problem(std::string_view name) {
  std::string neither = "is neither a host name, *.host, address nor network (10.1.0.0/16)";
  const bool foreign =
      std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  if (foreign) return "has letters beyond ASCII; write the name as it is asked for: xn--...";
  if (name.empty() || name.size() > 253) return neither;
  const auto ordinary = [](char c) {
    return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '_';
  };
  const std::vector<std::string_view> labels = split(name, '.');
  for (const std::string_view label : labels) {
    if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-' ||
        !std::ranges::all_of(label, ordinary))
      return neither;
  }
  // 1.2.3 or 999.1.1.1 is a mistyped address, not a name: no top-level domain is a number. Nor is
  // 0x7f000001, which programs read as one.
  const std::string_view last = labels.back();
  if (std::ranges::all_of(last, is_digit) || last.starts_with("0x")) return neither;
  return "";
}

Read<Prefix> read_prefix(std::string_view host) {
  const std::size_t slash = host.find('/');
  const std::optional<Address> address = parse_address(host.substr(0, slash));
  if (!address) return wrong("has no address before the `/`");
  const std::optional<Prefix> prefix = parse_prefix(host);
  if (!prefix)
    return wrong(std::string("has a prefix length that is no number up to ") +
                 (host.contains(':') ? "128" : "32"));
  if (prefix->first != *address)
    return wrong("has bits behind its prefix; the network is " + to_string(prefix->first) +
                 std::string(host.substr(slash)));
  return *prefix;
}

Read<std::variant<ExactName, NameSuffix, Prefix>> read_host(std::string_view host) {
  if (host.contains('/')) return read_prefix(host);
  if (const std::optional<Address> address = parse_address(host))
    return Prefix{.first = *address, .bits = 128};
  if (host == "*" || host == "*.")
    return wrong("would allow every host; `network: host` shares the host's network");
  const bool suffix = host.starts_with("*.");
  std::string name = normal_name(suffix ? host.substr(2) : host);
  if (std::string problem = name_problem(name); !problem.empty()) return wrong(std::move(problem));
  if (suffix) return NameSuffix{.suffix = std::move(name)};
  return ExactName{.name = std::move(name)};
}

}  // namespace

std::string_view to_string(Protocol protocol) { return protocol == Protocol::udp ? "udp" : "tcp"; }

std::string normal_name(std::string_view name) {
  if (name.ends_with('.')) name.remove_suffix(1);
  return to_lower(name);
}

bool Rule::names_host(std::string_view name) const {
  if (const auto* exact = std::get_if<ExactName>(&host)) return exact->name == name;
  const auto* suffix = std::get_if<NameSuffix>(&host);
  if (suffix == nullptr || !name.ends_with(suffix->suffix)) return false;
  name.remove_suffix(suffix->suffix.size());
  return name.size() > 1 && name.ends_with('.');
}

bool Rule::contains(const Address& address) const {
  const auto* prefix = std::get_if<Prefix>(&host);
  return prefix != nullptr && prefix->contains(address);
}

std::expected<Rule, std::string> parse_rule(std::string_view text) {
  Rule rule{.text = std::string(text)};
  if (text.starts_with(kUdp)) {
    rule.protocol = Protocol::udp;
    text.remove_prefix(kUdp.size());
  }
  const Halves halves = SBX_TRY(part(text));
  rule.ports = SBX_TRY(read_ports(halves.port));
  rule.host = SBX_TRY(read_host(halves.host));
  return rule;
}

}  // namespace sbx::network
