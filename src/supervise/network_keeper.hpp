// The network of a run that has an allow list (`network: {allow: …}`): makes ready what has to
// stand before the command starts, turns the gateway beside the other things that the supervisor
// waits for, and tells what was reached and refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "egress/gateway.hpp"
#include "os/gateway_sockets.hpp"
#include "plan/plan.hpp"
#include "supervise/clock.hpp"
#include "supervise/outcome.hpp"
#include "supervise/poll_set.hpp"

namespace sbx::supervise {

class NetworkKeeper {
 public:
  /// Is told of each kind of connection when it is seen for the first time.
  using Tell = std::function<void(const egress::Connections&)>;

  /// Nothing, unless the plan has an allow list. Error: a published port is taken, or this process
  /// may not have as many descriptors open as the connections need.
  Result<void> prepare(const plan::Plan& plan);
  /// The payload runs; what it has connected to meanwhile waits in the sockets.
  Result<void> start(os::GatewaySockets sockets, const plan::Plan& plan, Tell tell);

  void watch(PollSet& set);
  void step(const PollSet& set);
  [[nodiscard]] std::optional<Nanos> next() const;
  void port_wanted(std::uint16_t port);

  /// Goes on until the hosts have what the payload has sent before it ended, for two seconds at
  /// most or until `ended`.
  void deliver(const std::function<bool()>& ended, int signal_fd);
  /// Sets `connections`, and adds to denials and warnings; ends everything: by a reset, where not
  /// all has been sent.
  void finish(Outcome& outcome);

 private:
  std::vector<egress::Published> published_{};
  std::unique_ptr<egress::Gateway> gateway_{};
  std::size_t index_ = kNotPolled;
  bool cut_short_ = false;  ///< deliver() was not enough
};

/// A connection that was refused, as a denial.
Denial denial_of(const egress::Connections& refused);

}  // namespace sbx::supervise
