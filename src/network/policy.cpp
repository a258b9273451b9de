// The order is the same for all: what is denied, then what is allowed, then why neither.
#include "network/policy.hpp"

#include <algorithm>

#include "network/carried.hpp"
#include "network/refusal.hpp"

namespace sbx::network {
namespace {

constexpr unsigned kWholeAddress = 128;

std::string in_allow(const Rule& rule) { return "network.allow: " + rule.text; }

/// What is refused first; `entry`, if it is one of network.deny.
struct Denied {
  Decision decision{};
  std::string entry{};
};

Denied by_entry(std::string_view entry) {
  return {refused("network.deny: " + std::string(entry)), std::string(entry)};
}

/// With the line that takes the entry away, if that is all that refuses: `again` decides without.
template <class Again>
Decision told(const Policy& policy, Denied denied, Again again) {
  if (denied.entry.empty()) return std::move(denied.decision);
  Policy without = policy;
  std::erase_if(without.deny, [&](const Rule& rule) { return rule.text == denied.entry; });
  std::erase_if(without.deny_classes,
                [&](AddressClass what) { return to_string(what) == denied.entry; });
  if (again(without).allowed) denied.decision.allow_with = deny_line(policy, denied.entry);
  return std::move(denied.decision);
}

/// The first rule for this protocol and port that `fits`.
template <class Fits>
const Rule* find_rule(const std::vector<Rule>& rules, Protocol protocol, std::uint16_t port,
                      Fits fits) {
  const auto found = std::ranges::find_if(rules, [&](const Rule& rule) {
    return rule.protocol == protocol && rule.ports.contains(port) && fits(rule);
  });
  return found == rules.end() ? nullptr : &*found;
}

const Rule* naming(const std::vector<Rule>& rules, Protocol protocol, std::string_view name,
                   std::uint16_t port) {
  return find_rule(rules, protocol, port, [&](const Rule& rule) { return rule.names_host(name); });
}

/// The rule that allows this address. One that is wider than a class of addresses does not name
/// that class: 0.0.0.0/0 is the internet, and neither the office nor the cloud's metadata. The host
/// itself is meant by its very address alone: a network is allowed for who else is in it.
const Rule* covering(const Policy& policy, Protocol protocol, const Endpoint& target,
                     bool of_host) {
  const AddressClass what = class_of(target.address);
  return find_rule(policy.allow, protocol, target.port, [&](const Rule& rule) {
    if (!rule.contains(target.address)) return false;
    const Prefix& named = std::get<Prefix>(rule.host);
    if (of_host) return named.bits == kWholeAddress;
    return what == AddressClass::global || names_class_of(named, target.address);
  });
}

/// The host's loopback under the addresses that everybody writes, and those that connect(2) takes
/// for it: 0.0.0.0 and :: (tcp_v6_connect() in net/ipv6/tcp_ipv6.c), of which a host with a default
/// route says that it is elsewhere.
bool is_host_loopback(const Address& address) {
  const std::string text = to_string(address);
  const bool other = text == "::1" || text == "::" || text == "0.0.0.0";
  return other || (address.is_v4() && address.bytes[12] == 127);
}

std::optional<Denied> denied_address(const Policy& policy, Protocol protocol,
                                     const Endpoint& target) {
  if (target.port == kDnsPort) return Denied{refused("port 53 is where sbx itself answers DNS")};
  // A denied address is denied in every form that leads there.
  std::vector<Address> forms = carried_by(target.address);
  forms.push_back(target.address);
  const bool loopback = is_host_loopback(target.address);
  if (loopback)
    for (const char* const text : {"127.0.0.1", "::1"})
      if (const auto other = parse_address(text)) forms.push_back(*other);
  const Rule* rule = find_rule(policy.deny, protocol, target.port, [&](const Rule& r) {
    return std::ranges::any_of(forms, [&r](const Address& a) { return r.contains(a); });
  });
  if (rule != nullptr) return by_entry(rule->text);
  for (const AddressClass what :
       {class_of(target.address), loopback ? AddressClass::loopback : class_of(target.address)})
    if (std::ranges::find(policy.deny_classes, what) != policy.deny_classes.end())
      return by_entry(to_string(what));
  // A group has no socket inside, so that the kernel drops most of it before anybody sees it.
  if (class_of(target.address) == AddressClass::multicast)
    return Denied{refused("multicast and broadcast are not carried")};
  return std::nullopt;
}

Decision decide_loopback(const Policy& policy, Protocol protocol, const Endpoint& target) {
  const std::string port = std::to_string(target.port);
  if (protocol == Protocol::udp)
    return refused("the host's loopback is reached by tcp only (network.host_ports)");
  if (std::ranges::find(policy.host_ports, target.port) != policy.host_ports.end())
    return allowed("network.host_ports: " + port);
  return lacking(policy, protocol, target.port,
                 to_string(target.address) +
                     " is the host's loopback, and network.host_ports does not have " + port,
                 "network: {host_ports: [" + port + "]}");
}

/// What is missing for a name: the name, the port or the protocol.
std::string missing_for(const Policy& policy, Protocol protocol, std::string_view name,
                        std::uint16_t port) {
  const auto names = [&](Protocol p) {
    return std::ranges::any_of(
        policy.allow, [&](const Rule& r) { return r.protocol == p && r.names_host(name); });
  };
  const std::string host(name);
  if (names(protocol))
    return "network.allow has " + host + ", but not for port " + std::to_string(port);
  const Protocol other = protocol == Protocol::tcp ? Protocol::udp : Protocol::tcp;
  if (names(other))
    return "network.allow has " + host + ", but not for " + std::string(to_string(protocol));
  return "no rule of network.allow names " + host;
}

}  // namespace

Decision decide_lookup(const Policy& policy, std::string_view name) {
  const Rule* denying = nullptr;
  for (const Rule& rule : policy.allow) {
    if (!rule.names_host(name)) continue;
    const auto found = std::ranges::find_if(policy.deny, [&](const Rule& deny) {
      return deny.protocol == rule.protocol && deny.names_host(name) &&
             deny.ports.first <= rule.ports.first && deny.ports.last >= rule.ports.last;
    });
    if (found == policy.deny.end()) return allowed(in_allow(rule));
    denying = &*found;
  }
  if (denying == nullptr) {
    const auto found =
        std::ranges::find_if(policy.deny, [&](const Rule& deny) { return deny.names_host(name); });
    if (found != policy.deny.end()) denying = &*found;
  }
  if (denying != nullptr)
    return told(policy, by_entry(denying->text),
                [&](const Policy& without) { return decide_lookup(without, name); });
  // Nobody has said a port yet; this is the likeliest.
  constexpr std::uint16_t kHttps = 443;
  return refused("no rule of network.allow names " + std::string(name),
                 allow_line(Protocol::tcp, name, kHttps));
}

Decision decide_name(const Policy& policy, Protocol protocol, std::string_view name,
                     std::uint16_t port) {
  if (port == kDnsPort) return refused("port 53 is where sbx itself answers DNS");
  if (const Rule* rule = naming(policy.deny, protocol, name, port))
    return told(policy, by_entry(rule->text),
                [&](const Policy& without) { return decide_name(without, protocol, name, port); });
  if (const Rule* rule = naming(policy.allow, protocol, name, port))
    return allowed(in_allow(*rule));
  return lacking(policy, protocol, port, missing_for(policy, protocol, name, port),
                 allow_line(protocol, name, port));
}

Decision decide_address(const Policy& policy, Protocol protocol, const Endpoint& target,
                        bool of_host) {
  if (auto denied = denied_address(policy, protocol, target))
    return told(policy, *std::move(denied), [&](const Policy& without) {
      return decide_address(without, protocol, target, of_host);
    });
  if (is_host_loopback(target.address)) return decide_loopback(policy, protocol, target);
  if (const Rule* rule = covering(policy, protocol, target, of_host))
    return allowed(in_allow(*rule));
  const std::string what = described(target.address, of_host);
  return lacking(policy, protocol, target.port,
                 "no rule of network.allow is for the address " + to_string(target.address) +
                     (what.empty() ? "" : ", " + what + ",") + " and " +
                     std::string(to_string(protocol)) + " port " + std::to_string(target.port),
                 allow_line(protocol, target));
}

Decision decide_resolved(const Policy& policy, Protocol protocol, std::string_view name,
                         const Endpoint& target, bool of_host) {
  if (auto denied = denied_address(policy, protocol, target))
    return told(policy, *std::move(denied), [&](const Policy& without) {
      return decide_resolved(without, protocol, name, target, of_host);
    });
  if (is_host_loopback(target.address)) return decide_loopback(policy, protocol, target);
  const std::string what = described(target.address, of_host);
  if (what.empty()) return allowed("an ordinary address");
  if (const Rule* rule = covering(policy, protocol, target, of_host))
    return allowed(in_allow(*rule));
  return lacking(policy, protocol, target.port,
                 std::string(name) + " has the address " + to_string(target.address) + ", " + what +
                     ", which no rule of network.allow is for",
                 allow_line(protocol, target));
}

}  // namespace sbx::network
