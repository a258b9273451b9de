#include "egress/gateway.hpp"

#include <cerrno>
#include <utility>

#include "egress/cares_resolver.hpp"
#include "egress/sockets.hpp"

namespace sbx::egress {
namespace {

constexpr std::uint64_t kEachConnection = 2;
constexpr std::size_t kMostLate = 128;  // a rule for every port shall not take every descriptor
constexpr std::uint64_t kOthers = 768;  // pipes, listeners, DNS, and what sbx has without a network

}  // namespace

std::uint64_t descriptors_for(const network::Policy& policy) {
  return kEachConnection * policy.limits.connections + policy.publish.size() + kOthers;
}

Gateway::Gateway(const network::Policy& policy, Account::Tell tell)
    : policy_(policy),
      resolver_(std::make_unique<CaresResolver>(loop_)),
      account_(std::move(tell)),
      slots_(policy.limits.connections),
      throttle_(policy.limits),
      desk_{policy_, loop_, names_, *resolver_, account_, slots_, throttle_, pipes_} {}

Gateway::~Gateway() = default;

SysResult<void> Gateway::start(os::GatewaySockets sockets, std::vector<Published> published) {
  SBX_CHECK(loop_.open());
  // What it makes for published ports; a port that is opened late comes to listen().
  notice_loss(sockets.mint_listener.get(), kInsideSilence);
  mint_.emplace(std::move(sockets.mint_listener), std::move(sockets.mint_client));
  dns_ = std::make_unique<DnsService>(desk_, sockets.v6);
  SBX_CHECK(dns_->start(std::move(sockets.dns_udp), std::move(sockets.dns_tcp)));
  for (os::PortSocket& each : sockets.tcp) SBX_CHECK(listen(std::move(each.socket), each.port));
  flows_ = std::make_unique<UdpFlows>(desk_);
  SBX_CHECK(flows_->start(std::move(sockets.udp)));
  for (os::UniqueFd& socket : sockets.refused) {
    refused_.push_back(std::make_unique<RefusedWatch>(desk_, std::move(socket)));
    SBX_CHECK(refused_.back()->start());
  }
  for (Published& each : published) {
    publishers_.push_back(std::make_unique<Publisher>(
        desk_, std::move(each), *mint_,
        [this](os::UniqueFd inside, os::UniqueFd outside, Target target) {
          keep(std::move(inside), std::move(target)).carry(std::move(outside));
        }));
    SBX_CHECK(publishers_.back()->start());
  }
  return {};
}

SysResult<void> Gateway::listen(os::UniqueFd socket, std::uint16_t port) {
  auto listener = std::make_unique<Listener>(desk_, std::move(socket),
                                             [this](os::UniqueFd inside, Target target) {
                                               keep(std::move(inside), std::move(target)).open();
                                             });
  SBX_CHECK(listener->start());
  listeners_.emplace(port, std::move(listener));
  return {};
}

void Gateway::port_wanted(std::uint16_t port) {
  if (!mint_ || listeners_.contains(port)) return;
  bool allowed = false;
  for (const network::PortRange& range : network::ports_of(policy_, network::Protocol::tcp))
    allowed = allowed || range.contains(port);
  if (!allowed) return;
  auto socket = mint_->listen_on(port);
  // In use by the payload itself, or no descriptor is left: the kernel decides then.
  if (!socket || !listen(std::move(*socket), port)) return;
  late_.push_back(port);
  if (late_.size() <= kMostLate) return;
  // Connections that were accepted stay; whoever wants the port again opens it again.
  listeners_.erase(late_.front());
  late_.pop_front();
}

Connection& Gateway::keep(os::UniqueFd inside, Target target) {
  auto made = std::make_unique<Connection>(desk_, std::move(inside), std::move(target),
                                           [this](Connection* over) {
                                             const auto found = connections_.find(over);
                                             if (found == connections_.end()) return;
                                             loop_.bury(std::move(found->second));
                                             connections_.erase(found);
                                           });
  Connection& kept = *made;
  connections_.emplace(&kept, std::move(made));
  return kept;
}

bool Gateway::has_to_send() const {
  for (const auto& [key, connection] : connections_)
    if (connection->has_to_send()) return true;
  return false;
}

void Gateway::conclude() {
  for (const auto& [key, connection] : connections_) connection->conclude();
  if (flows_) flows_->conclude();
  if (dns_) dns_->conclude();
}

}  // namespace sbx::egress
