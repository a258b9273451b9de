// The supervisor's side of plan::OpenGateway: takes the sockets as they come, so that they do not
// stand in the way of other runs' (os/many_descriptors.hpp), and keeps places for them.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "os/fd.hpp"
#include "os/gateway_sockets.hpp"
#include "plan/plan.hpp"

namespace sbx::launch {

class GatewayReceipt {
 public:
  /// Nothing but a look at a plan without a gateway. `plan` must outlive this. The result is the
  /// payload's end.
  Result<os::UniqueFd> open(const plan::Plan& plan);
  void close() { ours_.reset(); }  ///< in the child
  Result<void> reserve();

  /// Readable when something has come; -1: all is there, or nothing will come.
  [[nodiscard]] int fd() const { return ours_.get(); }
  Result<void> receive();
  /// When all of it has been sent.
  Result<void> finish();
  std::optional<os::GatewaySockets> take() { return std::exchange(sockets_, std::nullopt); }

 private:
  [[nodiscard]] os::GatewayPorts ports() const {
    return {.tcp = step_->tcp, .udp = step_->udp, .more = step_->more};
  }
  [[nodiscard]] Result<void> watch(std::span<const os::UniqueFd> refused) const;

  const plan::OpenGateway* step_ = nullptr;
  os::UniqueFd ours_{};
  std::vector<os::UniqueFd> places_{};
  std::vector<os::UniqueFd> received_{};
  std::optional<os::GatewaySockets> sockets_{};
};

}  // namespace sbx::launch
