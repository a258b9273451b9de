#include "network/refusal.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.hpp"

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

std::string deny_line(const Policy& policy, std::string_view entry) {
  constexpr std::size_t kMostEntries = 32;
  std::vector<std::string> others;
  for (const AddressClass what : policy.deny_classes)
    if (to_string(what) != entry) others.emplace_back(to_string(what));
  for (const Rule& rule : policy.deny)
    if (rule.text != entry) others.push_back('"' + rule.text + '"');
  return others.size() > kMostEntries ? ""
                                      : "network: {deny: !replace [" + join(others, ", ") + "]}";
}

Decision lacking(const Policy& policy, Protocol protocol, std::uint16_t port, std::string because,
                 std::string line) {
  unsigned count = 0;
  for (const PortRange& range : ports_of(policy, protocol)) {
    if (range.contains(port)) return refused(std::move(because), std::move(line));
    count += range.size();
  }
  if (protocol == Protocol::tcp &&
      std::ranges::find(policy.publish, port, &Publish::port) != policy.publish.end())
    return refused(std::move(because) +
                   "; network.publish leads to this port of the sandbox's own");
  if (protocol == Protocol::udp && count >= kMostUdpPorts)
    return refused(std::move(because) + "; more than " + std::to_string(count) +
                   " udp ports cannot be had");
  return refused(std::move(because), std::move(line));
}

Decision refused(std::string because, std::string allow_with) {
  return {.because = std::move(because), .allow_with = std::move(allow_with)};
}

Decision allowed(std::string because) { return {.allowed = true, .because = std::move(because)}; }

}  // namespace sbx::network
