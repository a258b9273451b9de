// What a list of allowed names needs inside: somebody who listens on each port that it names.
#include <algorithm>
#include <string>
#include <utility>

#include "network/policy.hpp"
#include "plan/builder.hpp"
#include "seccomp/notify.hpp"

namespace sbx::plan {
namespace {

constexpr std::uint16_t kDns = 53;  // always ours

static_assert(OpenGateway::kMostTcp == network::kMostHostPorts &&
              OpenGateway::kMostUdp == network::kMostUdpPorts);

using Ranges = std::vector<network::PortRange>;

std::size_t count_of(const Ranges& ranges) {
  std::size_t count = 0;
  for (const network::PortRange& range : ranges) count += range.size();
  return count;
}

/// Those of the range that are not among them yet.
void append(std::vector<std::uint16_t>& ports, const network::PortRange& range) {
  const std::vector<std::uint16_t> before = ports;
  for (unsigned port = range.first; port <= range.last; ++port)
    if (port != kDns && std::ranges::find(before, port) == before.end())
      ports.push_back(static_cast<std::uint16_t>(port));
}

Error too_many(const Builder& b, const char* key, std::size_t count, std::size_t most) {
  return {.kind = ErrorKind::profile,
          .what = std::string(key) + " names " + std::to_string(count) +
                  " ports that each need a socket from the start, and there are " +
                  std::to_string(most) + " at most",
          .where = b.written_at(key),
          .hint = "name fewer of them"};
}

/// What fits is open from the start, ports of the host's first: nobody tells of a connection to
/// loopback, where a late port would stand in the way of a service of the payload's own.
Result<void> plan_tcp(const Builder& b, const network::Policy& policy, OpenGateway& step) {
  for (const std::uint16_t port : policy.host_ports) append(step.tcp, {port, port});
  if (step.tcp.size() > OpenGateway::kMostTcp)
    return std::unexpected(
        too_many(b, "network.host_ports", step.tcp.size(), OpenGateway::kMostTcp));
  // Of many only the short ranges: the others are wanted for a few of their ports, if at all.
  constexpr unsigned kShort = 8;
  const Ranges ranges = ports_of(policy, network::Protocol::tcp);
  const bool many = count_of(ranges) > OpenGateway::kMostTcp;
  for (const network::PortRange& range : ranges) {
    const std::size_t before = step.tcp.size();
    if (!many || range.size() <= kShort) append(step.tcp, range);
    if ((!many || range.size() <= kShort) && step.tcp.size() <= OpenGateway::kMostTcp) continue;
    step.tcp.resize(before);
    step.late.push_back(range);
  }
  return {};
}

/// A datagram shows when it is sent already: there is no opening a port late.
Result<void> plan_udp(const Builder& b, const network::Policy& policy, OpenGateway& step) {
  const Ranges ranges = ports_of(policy, network::Protocol::udp);
  if (const std::size_t count = count_of(ranges); count > OpenGateway::kMostUdp)
    return std::unexpected(too_many(b, "network.allow", count, OpenGateway::kMostUdp));
  for (const network::PortRange& range : ranges) append(step.udp, range);
  return {};
}

/// The supervisor reads of each connection where it goes, in the memory of who makes it.
Result<void> check_late(const Builder& b) {
  if (!seccomp::may_hold_reader(b.plan.filter.program())) return {};
  const bool logs = b.profile.seccomp.on_deny == profile::OnDeny::log;
  return std::unexpected(Error{
      .kind = ErrorKind::profile,
      .what = "network.allow names more than " + std::to_string(OpenGateway::kMostTcp) +
              " tcp ports, which cannot be had together with userfaultfd(2): it could hold "
              "the supervisor",
      .where = b.written_at(logs ? "seccomp.on_deny" : "seccomp.allow"),
      .hint = logs ? "name fewer ports, or write another seccomp.on_deny, which lets it through"
                   : "name fewer ports, or take userfaultfd out of seccomp.allow"});
}

}  // namespace

Result<void> plan_gateway(Builder& b) {
  if (!b.plan.egress) return {};
  OpenGateway step;
  SBX_CHECK(plan_tcp(b, *b.plan.egress, step));
  SBX_CHECK(plan_udp(b, *b.plan.egress, step));
  step.more = !step.late.empty() || !b.plan.egress->publish.empty();
  if (!step.late.empty()) {
    SBX_CHECK(check_late(b));
    b.plan.supervision.hears_connects = true;
  }
  b.add(Phase::payload, RouteToSelf{}, "whatever is connected to arrives at the gateway",
        "network.allow");
  b.add(Phase::payload, std::move(step), "the supervisor decides, and alone reaches the network",
        "network.allow");
  return {};
}

}  // namespace sbx::plan
