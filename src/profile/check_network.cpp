// Checks of `network`: rules that are none, or that could never do what they say.
#include <algorithm>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "network/policy.hpp"
#include "profile/checks.hpp"
#include "profile/seccomp_request.hpp"
#include "seccomp/build.hpp"
#include "seccomp/notify.hpp"

namespace sbx::profile {
namespace {

using network::Policy;
using network::Protocol;
using network::Rule;

constexpr std::string_view kAllow = "network.allow";
constexpr std::string_view kDeny = "network.deny";
constexpr std::string_view kPublish = "network.publish";

std::string about(std::string_view key, const std::string& entry) {
  return '`' + std::string(key) + "`: `" + printable(entry, 80) + "` ";
}

/// One that is a rule, and that nothing comes of; empty: something does.
std::string useless(const Rule& rule) {
  if (rule.ports == network::PortRange{.first = network::kDnsPort, .last = network::kDnsPort})
    return "is for port 53, where sbx itself answers DNS";
  const auto* const prefix = std::get_if<network::Prefix>(&rule.host);
  const bool loopback =
      prefix != nullptr && network::class_of(prefix->first) == network::AddressClass::loopback;
  if (loopback || rule.names_host("localhost"))
    return "is the sandbox's own loopback; the host's is reached by `host_ports`";
  if (prefix != nullptr && network::class_of(prefix->first) == network::AddressClass::multicast)
    return "is for multicast or broadcast, which is not carried";
  return "";
}

/// The rules of `allow` that are in order.
Policy check_allow(const Checker& c) {
  Policy policy;
  const std::vector<std::string>& allow = c.profile().network.allow;
  for (std::size_t i = 0; i < allow.size(); ++i) {
    const auto rule = network::parse_rule(allow[i]);
    const std::string problem = rule ? useless(*rule) : rule.error();
    if (problem.empty())
      policy.allow.push_back(*rule);
    else
      c.complain(Checker::item(kAllow, i), about(kAllow, allow[i]) + problem);
  }
  policy.host_ports = c.profile().network.host_ports;
  return policy;
}

void check_deny(const Checker& c) {
  const std::vector<std::string>& deny = c.profile().network.deny;
  for (std::size_t i = 0; i < deny.size(); ++i) {
    const auto word = network::parse_address_class(deny[i]);
    if (word && *word != network::AddressClass::global) continue;
    const auto rule = network::parse_rule(deny[i]);
    if (!rule)
      c.complain(Checker::item(kDeny, i),
                 about(kDeny, deny[i]) + (deny[i].contains(':')
                                              ? rule.error()
                                              : "is neither a class of addresses nor HOST:PORT"),
                 "words of their own are private, link-local, loopback, multicast and reserved");
  }
}

void check_udp_ports(const Checker& c, const Policy& policy) {
  unsigned count = 0;
  for (const network::PortRange& range : ports_of(policy, Protocol::udp)) count += range.size();
  if (count > network::kMostUdpPorts)
    c.complain(kAllow,
               "`network.allow` has " + std::to_string(count) + " udp ports, and at most " +
                   std::to_string(network::kMostUdpPorts) + " can be had",
               "each is a socket of its own; name fewer");
}

/// More tcp ports than are open from the start: the supervisor reads of each connection where it
/// goes, in the memory of who makes it.
void check_late_ports(const Checker& c, const Policy& policy) {
  unsigned count = 0;
  for (const network::PortRange& range : ports_of(policy, Protocol::tcp)) count += range.size();
  if (count <= network::kMostHostPorts) return;
  const Seccomp& seccomp = c.profile().seccomp;
  const auto filter = seccomp::filter_for(seccomp_request(seccomp));
  if (!filter || !seccomp::may_hold_reader(filter->program())) return;  // or it says so itself
  const bool logs = seccomp.on_deny == OnDeny::log;
  c.complain(logs ? "seccomp.on_deny" : "seccomp.allow",
             "`network.allow` has " + std::to_string(count) + " tcp ports, and more than " +
                 std::to_string(network::kMostHostPorts) +
                 " cannot be had together with userfaultfd(2): it could hold the supervisor",
             logs ? "name fewer ports, or write another `on_deny`, which lets it through"
                  : "name fewer ports, or take userfaultfd out of `seccomp.allow`");
}

void check_host_ports(const Checker& c, const std::vector<std::uint16_t>& ports) {
  if (const auto dns = std::ranges::find(ports, network::kDnsPort); dns != ports.end())
    c.complain(Checker::item("network.host_ports", static_cast<std::size_t>(dns - ports.begin())),
               "`network.host_ports`: 53 is where sbx itself answers DNS");
  const std::size_t count = std::set(ports.begin(), ports.end()).size();
  if (count > network::kMostHostPorts)
    c.complain("network.host_ports",
               "`network.host_ports` has " + std::to_string(count) + " ports, and at most " +
                   std::to_string(network::kMostHostPorts) + " can be had",
               "each is a socket of its own; name fewer");
}

bool is_gateways(const Policy& policy, std::uint16_t port) {
  return port == network::kDnsPort ||
         std::ranges::any_of(ports_of(policy, Protocol::tcp),
                             [&](const network::PortRange& range) { return range.contains(port); });
}

/// The kernel gives a port of all addresses (0.0.0.0, ::) to nobody who has it of one.
bool same_place(const network::Publish& one, const network::Publish& other) {
  const auto everywhere = [](const network::Address& address) {
    return address == network::Address{} || address == network::v4(0, 0, 0, 0);
  };
  return one.host_port == other.host_port && one.address.is_v4() == other.address.is_v4() &&
         (one.address == other.address || everywhere(one.address) || everywhere(other.address));
}

void check_publish(const Checker& c, const Policy& policy) {
  const std::vector<std::string>& entries = c.profile().network.publish;
  std::vector<network::Publish> seen;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto publish = network::parse_publish(entries[i]);
    const std::string key = Checker::item(kPublish, i);
    if (!publish) {
      c.complain(key, about(kPublish, entries[i]) + publish.error());
      continue;
    }
    const bool again = std::ranges::any_of(
        seen, [&](const network::Publish& other) { return same_place(other, *publish); });
    if (again) c.complain(key, about(kPublish, entries[i]) + "is a place that an entry before has");
    if (is_gateways(policy, publish->port))
      c.complain(key,
                 about(kPublish, entries[i]) + "leads to port " + std::to_string(publish->port) +
                     ", which is sbx's own inside",
                 "it is for what `allow` and `host_ports` reach; let the command take another");
    seen.push_back(*publish);
  }
}

/// Its text may have a password, so it is never repeated.
void check_proxy(const Checker& c) {
  const std::string& proxy = c.profile().network.proxy;
  if (proxy == "none" || proxy == "env") return;
  if (const auto read = network::parse_proxy(proxy); !read)
    c.complain("network.proxy", "`network.proxy` " + read.error(),
               "write none, env or http://[USER:PASSWORD@]HOST:PORT");
}

void check_network(const Checker& c) {
  if (c.profile().network.mode != NetworkMode::filtered) return;
  const Policy policy = check_allow(c);
  check_deny(c);
  check_udp_ports(c, policy);
  check_late_ports(c, policy);
  check_host_ports(c, policy.host_ports);
  check_publish(c, policy);
  check_proxy(c);
  const NetworkLimits& limits = c.profile().network.limits;
  if (limits.connections < 1 || limits.connections > 65535)
    c.complain("network.limits.connections",
               "`network.limits.connections` must be between 1 and 65535");
  if (limits.total && *limits.total == 0)
    c.complain("network.limits.total", "`network.limits.total` is 0",
               "write none to lift the limit, or `network: none`");
}

constexpr Check kChecks[] = {{"network", check_network}};

}  // namespace

std::span<const Check> network_checks() { return kChecks; }

}  // namespace sbx::profile
