#include "network/refusal.hpp"

#include <utility>

#include "network/rule.hpp"

namespace sbx::network {
namespace {

std::string line_of(Protocol protocol, const std::string& place) {
  const std::string entry = (protocol == Protocol::udp ? "udp:" : "") + place;
  // DNS can be asked for what is no name, which then no rule can have.
  return parse_rule(entry) ? "network: {allow: [\"" + entry + "\"]}" : "";
}

}  // namespace

std::string allow_line(Protocol protocol, std::string_view host, std::uint16_t port) {
  return line_of(protocol, std::string(host) + ':' + std::to_string(port));
}

std::string allow_line(Protocol protocol, const Endpoint& target) {
  return line_of(protocol, to_string(target));
}

std::string described(const Address& address, bool of_host) {
  if (is_metadata(address)) return "the cloud's metadata address";
  if (of_host) return "one of the host's own addresses";
  const AddressClass what = class_of(address);
  return what == AddressClass::global ? "" : "a " + std::string(to_string(what)) + " address";
}

Decision refused(std::string because, std::string allow_with) {
  return {.because = std::move(because), .allow_with = std::move(allow_with)};
}

Decision allowed(std::string because) { return {.allowed = true, .because = std::move(because)}; }

}  // namespace sbx::network
