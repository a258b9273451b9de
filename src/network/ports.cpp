// Which ports of the sandbox are the gateway's.
#include <algorithm>

#include "network/policy.hpp"

namespace sbx::network {
namespace {

/// Ranges in order that neither touch nor overlap.
std::vector<PortRange> merged(std::vector<PortRange> ranges) {
  std::ranges::sort(ranges, {}, &PortRange::first);
  std::vector<PortRange> out;
  for (const PortRange& range : ranges) {
    if (!out.empty() && range.first <= unsigned{out.back().last} + 1) {
      out.back().last = std::max(out.back().last, range.last);
    } else {
      out.push_back(range);
    }
  }
  return out;
}

/// The DNS inside has a socket there already.
std::vector<PortRange> without_dns(const std::vector<PortRange>& ranges) {
  std::vector<PortRange> out;
  for (const PortRange& range : ranges) {
    if (!range.contains(kDnsPort)) {
      out.push_back(range);
      continue;
    }
    if (range.first < kDnsPort) out.push_back({.first = range.first, .last = kDnsPort - 1});
    if (range.last > kDnsPort) out.push_back({.first = kDnsPort + 1, .last = range.last});
  }
  return out;
}

}  // namespace

std::vector<PortRange> ports_of(const Policy& policy, Protocol protocol) {
  std::vector<PortRange> ranges;
  for (const Rule& rule : policy.allow) {
    if (rule.protocol == protocol) ranges.push_back(rule.ports);
  }
  if (protocol == Protocol::tcp) {
    for (const std::uint16_t port : policy.host_ports)
      ranges.push_back({.first = port, .last = port});
  }
  return without_dns(merged(std::move(ranges)));
}

}  // namespace sbx::network
