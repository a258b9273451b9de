// A flow of datagrams, the host's end of it, and what both need.
#pragma once

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <string>

#include "egress/udp_flows.hpp"
#include "egress_dns_testing.hpp"

namespace sbx::egress {

/// A socket of the host's that flows lead to.
struct Host {
  std::uint16_t port = 0;
  os::UniqueFd socket = loopback_socket(SOCK_DGRAM, port);
  sockaddr_storage from{};
  socklen_t size = sizeof from;

  std::string receive(Loop& loop) {
    std::array<char, 70000> room{};
    ssize_t got = -1;
    const bool heard = run_until(
        loop,
        [&] {
          size = sizeof from;
          got = ::recvfrom(socket.get(), room.data(), room.size(), 0,
                           reinterpret_cast<sockaddr*>(&from), &size);
          return got >= 0;
        },
        kSecond / 2);
    return heard ? std::string(room.data(), static_cast<std::size_t>(got)) : "(nothing)";
  }
  void answer(const std::string& text) {
    REQUIRE(::sendto(socket.get(), text.data(), text.size(), 0, reinterpret_cast<sockaddr*>(&from),
                     size) > 0);
  }
};

struct FlowBed {
  Loop loop{};
  network::Policy policy{};
  Names names{};
  FakeResolver resolver{};
  Account account{nullptr};
  Slots slots{2};
  Throttle throttle;
  Pipes pipes{};
  Desk desk{policy, loop, names, resolver, account, slots, throttle, pipes};
  Waiting waiting{};
  std::vector<std::uint8_t> room = std::vector<std::uint8_t>(65536);
  std::vector<std::string> delivered{};
  bool ended = false;

  explicit FlowBed(const network::Limits& limits = {}) : throttle(limits) {
    REQUIRE(loop.open().has_value());
  }
  std::unique_ptr<UdpFlow> flow(Target target) {
    REQUIRE(slots.take());
    target.protocol = network::Protocol::udp;
    return std::make_unique<UdpFlow>(desk, std::move(target), waiting, room,
                                     UdpFlow::Owner{.deliver =
                                                        [this](UdpFlow::Bytes bytes) {
                                                          delivered.emplace_back(bytes.begin(),
                                                                                 bytes.end());
                                                        },
                                                    .ended = [this] { ended = true; }});
  }
  static Target at(std::uint16_t port) {
    return {.asked = {.address = network::v4(127, 0, 0, 1), .port = port}};
  }
};

inline UdpFlow::Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace sbx::egress
