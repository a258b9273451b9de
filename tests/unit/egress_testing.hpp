// What tests of the gateway's parts share: a loop that runs until something is true, and a DNS
// server on the loopback of the test's own process.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "egress/loop.hpp"
#include "network/address.hpp"

namespace sbx::egress {

/// Steps until `done` is true; false: it was not within `within`.
bool run_until(Loop& loop, const std::function<bool()>& done, Nanos within = 10 * kSecond);

os::UniqueFd loopback_socket(int type, std::uint16_t& port);
/// UDP, both families, with packet information: as inside a sandbox.
os::UniqueFd wildcard_datagrams(std::uint16_t& port);

/// Answers A and AAAA questions as it is told.
class TestDns : private Watcher {
 public:
  struct Host {
    std::vector<network::Address> addresses{};
    std::uint32_t ttl = 60;
  };

  explicit TestDns(Loop& loop);
  ~TestDns() override;
  /// As of CaresResolver.
  [[nodiscard]] std::string servers() const;

  std::map<std::string, Host> hosts{};
  bool silent = false;
  std::uint8_t code = 0;  ///< of every answer, unless 0
  std::vector<std::string> asked{};

 private:
  void ready(int fd, std::uint32_t events) override;
  [[nodiscard]] std::string answer(std::span<const std::uint8_t> query);

  Loop& loop_;
  std::uint16_t port_ = 0;
  os::UniqueFd socket_{};
};

}  // namespace sbx::egress
