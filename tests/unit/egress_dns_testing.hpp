// A DNS service on sockets of the loopback, and who asks it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "egress/dns_service.hpp"
#include "egress_testing.hpp"

namespace sbx::egress {

inline constexpr std::uint16_t kA = 1;
inline constexpr std::uint16_t kPtr = 12;
inline constexpr std::uint16_t kTxt = 16;
inline constexpr std::uint16_t kAaaa = 28;
inline constexpr std::uint16_t kHttps = 65;

/// Answers what it knows at once; the test answers the rest.
class FakeResolver : public Resolver {
 public:
  std::map<std::string, Resolved> answers{};
  std::vector<std::pair<std::string, Done>> open{};
  void resolve(const std::string& name, Done done) override;
  [[nodiscard]] bool busy() const override { return false; }
};

std::string query(const std::string& name, std::uint16_t type, std::uint16_t id = 7);
/// As it goes over a stream.
std::string framed(const std::string& text);

struct Answer {
  unsigned id = 0;
  unsigned code = 0;
  unsigned records = 0;
  std::uint32_t ttl = 0;  ///< of the first record
  std::string data{};
};
/// `asked`: the size of the query.
Answer read_answer(const std::string& text, std::size_t asked);

/// good.example has an address, *.wild.example may be asked for.
struct DnsBed {
  Loop loop{};
  network::Policy policy{};
  Names names{};
  FakeResolver resolver{};
  Account account{nullptr};
  Slots slots{16};
  Throttle throttle{network::Limits{}};
  Pipes pipes{};
  Desk desk{policy, loop, names, resolver, account, slots, throttle, pipes};
  std::unique_ptr<DnsService> service{};
  std::uint16_t udp_port = 0;
  std::uint16_t tcp_port = 0;

  explicit DnsBed(bool v6 = true);

  [[nodiscard]] os::UniqueFd datagrams(const char* server = "127.0.0.1") const;
  [[nodiscard]] os::UniqueFd stream() const;
  /// Reads until `size` bytes are there, or any when 0.
  std::string receive(int fd, std::size_t size = 0);
  Answer ask(const std::string& name, std::uint16_t type, const char* server = "127.0.0.1");
  Answer receive_framed(int fd, std::size_t asked);
  /// The service has ended the connection.
  bool closed(int fd, Nanos within = kSecond);
};

}  // namespace sbx::egress
