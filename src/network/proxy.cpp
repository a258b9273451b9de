#include "network/proxy.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "network/rule.hpp"

namespace sbx::network {
namespace {

constexpr std::uint16_t kPlainPort = 80;  ///< of http://HOST, as curl(1) takes it: RFC 9110 4.2.1

std::unexpected<std::string> wrong(std::string what) { return std::unexpected(std::move(what)); }

/// RFC 3986 2.1; nullopt: a broken escape, or one for a control byte, which would end a header.
std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const auto byte = parse_number<unsigned char>(text.substr(i + 1, 2), 16);
      if (!byte || text.size() - i < 3) return std::nullopt;
      c = static_cast<char>(*byte);
      i += 2;
    }
    const auto value = static_cast<unsigned char>(c);
    if (value < 0x20 || value == 0x7f) return std::nullopt;
    out += c;
  }
  return out;
}

/// "host:port" in its halves, brackets taken off; an empty port where there is none.
std::pair<std::string_view, std::string_view> part(std::string_view text) {
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos || !text.substr(0, end).contains(':')) return {};
    const std::string_view rest = text.substr(end + 1);
    if (!rest.empty() && !rest.starts_with(':')) return {};
    return {text.substr(1, end - 1), rest.empty() ? rest : rest.substr(1)};
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

std::string scheme_problem(std::string_view scheme) {
  if (scheme == "https") return "is a proxy that is spoken to by TLS; only http:// ones are used";
  if (scheme.starts_with("socks")) return "is a SOCKS proxy; only http:// ones are used";
  return "is no proxy of the form http://[USER:PASSWORD@]HOST:PORT";
}

bool is_host(std::string_view host) {
  if (host.contains(':')) return parse_address(host).has_value();
  const auto ordinary = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  };
  return !host.empty() && host.size() <= 253 && std::ranges::all_of(host, ordinary);
}

/// An entry of NO_PROXY without its port, when that is the connection's (or it has none).
std::optional<std::string_view> entry_for(std::string_view entry, std::uint16_t port) {
  if (!entry.starts_with('[') && std::ranges::count(entry, ':') > 1) return entry;  // a bare IPv6
  const auto [host, wanted] = part(entry);
  if (host.empty()) return std::nullopt;
  if (!wanted.empty() && parse_number<std::uint16_t>(wanted) != port) return std::nullopt;
  return host;
}

}  // namespace

std::expected<Proxy, std::string> parse_proxy(std::string_view url) {
  // curl(1) and others take a proxy without a scheme for one of http.
  const std::size_t colons = url.find("://");
  if (colons != std::string_view::npos) {
    const std::string scheme = normal_name(url.substr(0, colons));
    if (scheme != "http") return wrong(scheme_problem(scheme));
    url.remove_prefix(colons + 3);
  }
  if (url.ends_with('/')) url.remove_suffix(1);
  Proxy proxy;
  if (const std::size_t at = url.rfind('@'); at != std::string_view::npos) {
    std::optional<std::string> credentials = percent_decoded(url.substr(0, at));
    if (!credentials) return wrong("has a user or password with a broken escape in it");
    proxy.credentials = std::move(*credentials);
    url.remove_prefix(at + 1);
  }
  const auto [host, port] = part(url);
  proxy.host = normal_name(host);
  if (!is_host(proxy.host)) return wrong("names no host: http://HOST:PORT");
  const bool bare = port.empty() && !url.ends_with(':');
  const auto number = bare ? std::optional(kPlainPort) : parse_number<std::uint16_t>(port);
  if (!number || *number == 0) return wrong("has a port that is no number from 1 to 65535");
  proxy.port = *number;
  return proxy;
}

std::vector<std::string> parse_bypass(std::string_view no_proxy) {
  std::vector<std::string> out;
  for (const std::string_view list : split(no_proxy, ',')) {
    for (const std::string_view entry : split(list, ' ')) {
      const std::string name = normal_name(trim(entry));
      if (!name.empty()) out.push_back(name);
    }
  }
  return out;
}

bool bypasses(const Proxy& proxy, std::string_view name, std::uint16_t port) {
  return std::ranges::any_of(proxy.bypass, [&](std::string_view entry) {
    if (entry == "*") return true;
    std::optional<std::string_view> host = entry_for(entry, port);
    if (!host) return false;
    if (host->starts_with("*.")) host->remove_prefix(1);
    const bool below = host->starts_with('.');
    if (below) host->remove_prefix(1);
    if (host->empty() || !name.ends_with(*host)) return false;
    const std::string_view front = name.substr(0, name.size() - host->size());
    return front.empty() ? !below : front.ends_with('.');
  });
}

bool bypasses(const Proxy& proxy, const Endpoint& target) {
  return std::ranges::any_of(proxy.bypass, [&](std::string_view entry) {
    if (entry == "*") return true;
    const std::optional<std::string_view> host = entry_for(entry, target.port);
    const std::optional<Prefix> prefix = host ? parse_prefix(*host) : std::nullopt;
    return prefix && prefix->contains(target.address);
  });
}

std::string shown(const Proxy& proxy) {
  const bool v6 = proxy.host.contains(':');
  return std::string("http://") + (proxy.credentials.empty() ? "" : "***@") + (v6 ? "[" : "") +
         proxy.host + (v6 ? "]:" : ":") + std::to_string(proxy.port);
}

}  // namespace sbx::network
