// The DNS inside on its two sockets. However much is asked, by however many, it takes a bounded
// part of the loop's time and of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "egress/datagrams.hpp"
#include "egress/desk.hpp"
#include "egress/dns_stream.hpp"
#include "egress/loop.hpp"
#include "egress/name_server.hpp"

namespace sbx::egress {

class DnsService final : private Watcher {
 public:
  /// `v6`: the sandbox has IPv6.
  DnsService(Desk& desk, bool v6);
  ~DnsService() override;

  /// As of os::GatewaySockets: bound, listening, non-blocking, the first with packet information.
  SysResult<void> start(os::UniqueFd udp, os::UniqueFd tcp);
  void conclude() { server_.conclude(); }  ///< as of NameServer

 private:
  void ready(int fd, std::uint32_t events) override;
  bool answer_datagram();
  void reply(const network::Endpoint& to, const network::Address& from, const std::string& message);
  void accept();
  void admit(os::UniqueFd accepted);
  void end(const DnsStream& stream);

  Loop& loop_;
  NameServer server_;
  Alarm pause_;  ///< when this process has no descriptor left for another connection
  std::unique_ptr<DatagramSocket> udp_{};
  os::UniqueFd tcp_{};
  std::size_t waiting_ = 0;  ///< queries by datagram that are not answered yet
  std::vector<std::unique_ptr<DnsStream>> streams_{};
};

}  // namespace sbx::egress
