// Everything the supervisor holds for one run; each member cleans up after itself.
#pragma once

#include <memory>
#include <vector>

#include "launch/gateway_receipt.hpp"
#include "launch/launcher.hpp"
#include "launch/report.hpp"
#include "launch/step_times.hpp"
#include "os/cgroup.hpp"
#include "os/fd.hpp"
#include "os/host_id.hpp"
#include "os/idmap.hpp"

namespace sbx::launch {

/// The shared page, unmapped with its owner.
class PageOwner {
 public:
  PageOwner() = default;
  PageOwner(const PageOwner&) = delete;
  PageOwner& operator=(const PageOwner&) = delete;
  ~PageOwner();
  /// Maps the page; false with errno set when the kernel refuses.
  bool map();
  [[nodiscard]] SharedPage* get() const { return page_; }

 private:
  SharedPage* page_ = nullptr;
};

struct Sandbox::State {
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  /// Kills and reaps what is left of the tree, before the cgroups (members) are removed.
  ~State();

  std::vector<os::Cgroup> cgroups;
  os::HostId host_id{};
  os::UserNamespaceMaker namespaces;
  PageOwner page;
  StepClock clock;
  pid_t init_pid = 0;
  os::UniqueFd init_pidfd{};
  os::UniqueFd channel{};                ///< to init, see Context::channel
  std::vector<os::UniqueFd> reserved{};  ///< places for the next four
  os::UniqueFd pty_master{};
  os::UniqueFd listener{};  ///< of the payload's filter
  os::UniqueFd changes{};   ///< the overlay's upper layer
  os::UniqueFd root{};      ///< a copy of the sandbox's tree
  GatewayReceipt gateway{};
  std::uint64_t exec_time_ns = 0;
  std::uint64_t command_time_ns = 0;
  bool reaped = false;
  bool shares_host = false;  ///< no pid namespace: init ends the tree, we tell it to
  struct ::rusage usage{};

  void kill_tree() const;
  void end_shared_tree() const;
  /// The group that has `controller`; "": the v2 group, whatever it limits. nullptr: none.
  [[nodiscard]] const os::Cgroup* group_of(std::string_view controller) const;
  /// Waits for init; returns its wait status.
  int reap();
};

}  // namespace sbx::launch
