// The syntax of network rules; what they mean is for whoever enforces them.
#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "profile/checks.hpp"

namespace sbx::profile {
namespace {

bool is_port(std::string_view text) {
  const auto port = parse_number<unsigned>(text);
  return port && *port > 0 && *port <= 65535;
}

/// 4, 6, or 0 when it is no address.
int address_family(std::string_view text) {
  const std::string copy(text);  // inet_pton wants a NUL
  std::array<unsigned char, 16> bytes{};
  if (::inet_pton(AF_INET, copy.c_str(), bytes.data()) == 1) return 4;
  return ::inet_pton(AF_INET6, copy.c_str(), bytes.data()) == 1 ? 6 : 0;
}

bool is_host_name(std::string_view text) {
  if (text.starts_with("*.")) text.remove_prefix(2);
  if (text.empty() || text.size() > 253) return false;
  for (const std::string_view label : split(text, '.')) {
    const auto ordinary = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '-' || c == '_';
    };
    if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-' ||
        !std::ranges::all_of(label, ordinary))
      return false;
  }
  // 1.2.3 or 999.1.1.1 is a mistyped address, not a name: no top-level domain is a number.
  const std::vector<std::string_view> labels = split(text, '.');
  return !std::ranges::all_of(labels.back(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string host_problem(std::string_view host) {
  if (const std::size_t slash = host.find('/'); slash != std::string_view::npos) {
    const int family = address_family(host.substr(0, slash));
    if (family == 0) return "has no address before the `/`";
    const unsigned most = family == 4 ? 32 : 128;
    const auto bits = parse_number<unsigned>(host.substr(slash + 1));
    return bits && *bits <= most
               ? ""
               : "has a prefix length that is no number up to " + std::to_string(most);
  }
  if (address_family(host) != 0 || is_host_name(host)) return "";
  if (host == "*") return "would allow every host; `network: host` shares the host's network";
  return "is neither a host name, *.host, address nor network (10.1.0.0/16)";
}

}  // namespace

std::string network_rule_problem(std::string_view rule) {
  if (rule.find("://") != std::string_view::npos) return "is a URL; write HOST:PORT";
  std::string_view host = rule;
  std::string_view port;
  if (rule.starts_with('[')) {  // [2001:db8::/32]:443
    const std::size_t end = rule.find(']');
    if (end == std::string_view::npos) return "has no closing `]`";
    host = rule.substr(1, end - 1);
    port = rule.substr(end + 1);
    if (!port.starts_with(':')) return "needs a port: [ADDRESS]:443";
    port.remove_prefix(1);
    if (host.find(':') == std::string_view::npos)
      return "has brackets around something that is no IPv6 address";
  } else {
    const std::size_t colon = rule.find(':');
    if (colon == std::string_view::npos) return "needs a port: HOST:443";
    host = rule.substr(0, colon);
    port = rule.substr(colon + 1);
    if (port.find(':') != std::string_view::npos)
      return "needs brackets around an IPv6 address: [ADDRESS]:443";
  }
  if (!is_port(port)) return "has a port that is no number from 1 to 65535";
  return host_problem(host);
}

std::string publish_problem(std::string_view rule) {
  const std::size_t last = rule.rfind(':');
  if (last == std::string_view::npos) return "must be [ADDRESS:]HOST_PORT:PORT";
  const std::string_view front = rule.substr(0, last);
  if (!is_port(rule.substr(last + 1))) return "has a port that is no number from 1 to 65535";
  const std::size_t colon = front.rfind(':');
  if (!is_port(colon == std::string_view::npos ? front : front.substr(colon + 1)))
    return "has a host port that is no number from 1 to 65535";
  if (colon == std::string_view::npos) return "";
  std::string_view address = front.substr(0, colon);
  if (address.starts_with('[') && address.ends_with(']'))
    address = address.substr(1, address.size() - 2);
  return address_family(address) != 0 ? ""
                                      : "must start with an address of the host, such as 127.0.0.1";
}

}  // namespace sbx::profile
