// The syntax of `network.publish`.
#include "base/quantity.hpp"
#include "network/policy.hpp"

namespace sbx::network {
namespace {

std::optional<std::uint16_t> read_port(std::string_view text) {
  const auto port = parse_number<std::uint16_t>(text);
  return port && *port > 0 ? port : std::nullopt;
}

/// Of this host: brackets are for IPv6, as in a rule.
std::optional<Address> read_host(std::string_view text) {
  const bool bracketed = text.starts_with('[') && text.ends_with(']');
  if (bracketed) text = text.substr(1, text.size() - 2);
  return text.contains(':') == bracketed ? parse_address(text) : std::nullopt;
}

}  // namespace

std::expected<Publish, std::string> parse_publish(std::string_view text) {
  const std::size_t last = text.rfind(':');
  if (last == std::string_view::npos) return std::unexpected("must be [ADDRESS:]HOST_PORT:PORT");
  const std::string_view front = text.substr(0, last);
  const std::size_t colon = front.rfind(':');
  const auto port = read_port(text.substr(last + 1));
  if (!port) return std::unexpected("has a port that is no number from 1 to 65535");
  const auto host_port =
      read_port(colon == std::string_view::npos ? front : front.substr(colon + 1));
  if (!host_port) return std::unexpected("has a host port that is no number from 1 to 65535");
  const auto address = colon == std::string_view::npos ? std::optional(v4(127, 0, 0, 1))
                                                       : read_host(front.substr(0, colon));
  if (!address)
    return std::unexpected("must start with an address of the host, such as 127.0.0.1 or [::1]");
  return Publish{.address = *address, .host_port = *host_port, .port = *port};
}

std::string to_string(const Publish& publish) {
  return to_string(Endpoint{.address = publish.address, .port = publish.host_port}) + ':' +
         std::to_string(publish.port);
}

}  // namespace sbx::network
