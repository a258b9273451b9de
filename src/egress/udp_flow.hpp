// Datagrams between one socket of the payload and one destination, as a NAT keeps them together: a
// connected socket of the host's, so that nobody but the destination is heard (udp(7)).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "egress/desk.hpp"

namespace sbx::egress {

/// Datagrams that wait for a name to be resolved: of all flows together.
struct Waiting {
  static constexpr std::size_t kMostBytes = std::size_t{256} * 1024;
  std::size_t bytes = 0;
};

class UdpFlow final : public Watcher {
 public:
  using Bytes = std::span<const std::uint8_t>;
  struct Owner {
    std::function<void(Bytes)> deliver;  ///< to the payload
    std::function<void()> ended;         ///< the flow is to be buried
  };

  /// Gives a slot back that was taken for it. `room`: where datagrams are received into.
  UdpFlow(Desk& desk, Target target, Waiting& waiting, std::span<std::uint8_t> room, Owner owner);
  ~UdpFlow() override;

  /// Resolves the name, if it is one, and opens the socket. May end the flow.
  void start();
  void send(Bytes bytes);
  [[nodiscard]] Nanos last() const { return last_; }  ///< when a datagram passed, either way
  /// To who needs its slot.
  void give_way();
  /// The run is over: what has waited for its name is accounted for.
  void conclude();

 private:
  void ready(int fd, std::uint32_t events) override;
  void resolved(const Resolved& found);
  /// To the next of its addresses; the error is of the last.
  SysResult<void> connect_next();
  SysResult<void> connect_to(const network::Endpoint& endpoint);
  void open();
  void opened();
  bool receive();
  void unreachable(int error);
  bool passes(Direction direction, std::size_t size);
  void rest();
  void forget();
  void drop();
  void end();
  void fail(Verdict verdict, std::string reason, std::string allow_with = {});
  Connections& note(Verdict verdict, std::string reason, std::string allow_with);

  Desk& desk_;
  Target target_;
  Waiting& waiting_;
  std::span<std::uint8_t> room_;
  Owner owner_;
  Alarm idle_;
  std::vector<network::Endpoint> left_{};  ///< not tried yet; the next one is the last
  os::UniqueFd socket_{};
  Connections* counted_ = nullptr;  ///< once it is open
  Nanos last_ = 0;
  bool heard_ = false;
  bool ended_ = false;
  std::vector<std::vector<std::uint8_t>> held_{};
  std::shared_ptr<UdpFlow*> self_ = std::make_shared<UdpFlow*>(this);
};

}  // namespace sbx::egress
