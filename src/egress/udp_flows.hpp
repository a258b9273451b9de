// The table of UDP flows (`udp:` rules): datagrams that the payload sends to a port of any address,
// each taken to the flow of its source and destination, or dropped and accounted.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "egress/datagrams.hpp"
#include "egress/desk.hpp"
#include "egress/udp_flow.hpp"
#include "os/gateway_sockets.hpp"

namespace sbx::egress {

class UdpFlows final : private Watcher {
 public:
  explicit UdpFlows(Desk& desk);
  ~UdpFlows() override;

  SysResult<void> start(std::vector<os::PortSocket> sockets);
  [[nodiscard]] std::size_t size() const { return flows_.size(); }
  void conclude();  ///< as of UdpFlow

 private:
  /// The payload's socket, and whom it has sent to.
  using Key = std::pair<network::Endpoint, network::Endpoint>;
  struct Inside {
    std::uint16_t port = 0;
    DatagramSocket socket;
  };

  void ready(int fd, std::uint32_t events) override;
  bool take(const Inside& inside);
  UdpFlow* flow_of(const Key& key, const Inside& inside);
  void refuse(const Target& target, Verdict verdict);
  bool spare();

  Desk& desk_;
  std::vector<std::uint8_t> room_{};
  Waiting waiting_{};
  std::map<int, Inside> inside_{};
  std::map<Key, std::unique_ptr<UdpFlow>> flows_{};
  Nanos none_before_ = 0;  ///< is a flow to spare
};

}  // namespace sbx::egress
