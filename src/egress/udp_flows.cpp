// From datagrams inside to flows.
#include "egress/udp_flows.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>

namespace sbx::egress {
namespace {

constexpr int kAtOnce = 64;  ///< datagrams of one socket in a round
constexpr std::size_t kLongest = 65536;
constexpr Nanos kSilence = 3 * kSecond;
constexpr std::size_t kSpared = 16;  ///< at once: to look for them takes longer than to end them

}  // namespace

UdpFlows::UdpFlows(Desk& desk) : desk_(desk) {
  desk_.slots.spare_with([this] { return spare(); });
}

UdpFlows::~UdpFlows() {
  desk_.slots.spare_with(nullptr);
  for (const auto& [fd, inside] : inside_) desk_.loop.remove(fd);
}

SysResult<void> UdpFlows::start(std::vector<os::PortSocket> sockets) {
  if (!sockets.empty()) room_.resize(kLongest);
  for (os::PortSocket& one : sockets) {
    const int fd = one.socket.get();
    const auto kept = inside_.emplace(
        fd, Inside{.port = one.port, .socket = DatagramSocket(std::move(one.socket))});
    SBX_CHECK(desk_.loop.add(kept.first->first, EPOLLIN, *this));
  }
  return {};
}

/// Nobody tells whether a socket of the payload's still lives: the flows that have been silent
/// longest give way, as a NAT's do, before all that is new is refused.
bool UdpFlows::spare() {
  const Nanos before = desk_.loop.now() - kSilence;
  if (before < none_before_) return false;
  std::vector<UdpFlow*> silent;
  Nanos first = desk_.loop.now();
  for (const auto& [key, flow] : flows_) {
    first = std::min(first, flow->last());
    if (flow->last() <= before) silent.push_back(flow.get());
  }
  none_before_ = first;
  const auto end = silent.begin() + static_cast<std::ptrdiff_t>(std::min(silent.size(), kSpared));
  std::ranges::partial_sort(silent, end, {}, &UdpFlow::last);
  for (auto flow = silent.begin(); flow != end; ++flow) (*flow)->give_way();
  return !silent.empty();
}

void UdpFlows::conclude() {
  for (const auto& [key, flow] : flows_) flow->conclude();
}

void UdpFlows::ready(int fd, std::uint32_t /*events*/) {
  const Inside& inside = inside_.at(fd);
  for (int count = 0; count < kAtOnce && take(inside); ++count) {
  }
}

bool UdpFlows::take(const Inside& inside) {
  const auto got = inside.socket.receive(room_);
  if (!got.has_value()) return got.error().value != EAGAIN;
  UdpFlow* flow = flow_of({got->from, {got->to, inside.port}}, inside);
  if (flow != nullptr) flow->send(got->bytes);
  return true;
}

UdpFlow* UdpFlows::flow_of(const Key& key, const Inside& inside) {
  if (const auto known = flows_.find(key); known != flows_.end()) return known->second.get();
  Target target = target_of(desk_, network::Protocol::udp, key.second);
  if (!target.decision.allowed) {
    refuse(target, Verdict::denied);
    return nullptr;
  }
  if (desk_.throttle.exhausted()) {
    target.decision.because = "network.limits.total is used up";
    refuse(target, Verdict::limited);
    return nullptr;
  }
  if (!desk_.slots.take()) {
    target.decision.because = "network.limits.connections are alive already";
    refuse(target, Verdict::limited);
    return nullptr;
  }
  auto made =
      std::make_unique<UdpFlow>(desk_, std::move(target), waiting_, room_,
                                UdpFlow::Owner{.deliver =
                                                   [&inside, key](UdpFlow::Bytes bytes) {
                                                     // What the payload's buffer has no room for is
                                                     // lost.
                                                     static_cast<void>(inside.socket.send(
                                                         bytes, key.second.address, key.first));
                                                   },
                                               .ended =
                                                   [this, key] {
                                                     desk_.loop.bury(std::move(flows_.at(key)));
                                                     flows_.erase(key);
                                                   }});
  UdpFlow* flow = made.get();
  flows_.emplace(key, std::move(made));
  flow->start();  // if it ends, it lives to the end of this round
  return flow;
}

void UdpFlows::refuse(const Target& target, Verdict verdict) {
  desk_.account.note({.protocol = network::Protocol::udp,
                      .host = target.host(),
                      .port = target.asked.port,
                      .verdict = verdict,
                      .reason = target.decision.because,
                      .allow_with = verdict == Verdict::denied ? target.decision.allow_with : ""});
}

}  // namespace sbx::egress
