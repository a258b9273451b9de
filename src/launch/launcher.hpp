// Supervisor side of a launch: does the plan's host steps, clones init, attends it until the
// payload has been exec'ed, and owns everything that must go when the run ends.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "base/error.hpp"
#include "launch/step_times.hpp"
#include "os/cpu_time.hpp"
#include "os/fd.hpp"
#include "os/gateway_sockets.hpp"
#include "os/secret_memory.hpp"
#include "plan/plan.hpp"

namespace sbx::launch {

/// The payload's side of 0, 1 and 2. Owned by the caller; launch() leaves them open in the
/// supervisor. With a pty they are ignored.
struct StdioFds {
  int in = -1;
  int out = -1;
  int err = -1;
};

/// What the supervisor does while the sandbox is set up.
struct Meanwhile {
  /// Before groups are made that the next run may have none beside (cgroup v1): from here on
  /// somebody has to find us, and them, should we be killed. Not called where there are none.
  std::function<void()> before_groups{};
  std::function<Result<void>()> rest;
};

/// What init and payload leave in shared memory for the supervisor (launch/report.hpp).
struct SharedPage;

/// A live sandbox. Destruction kills it, waits for it, and removes its cgroups.
/// What overlayfs refused, and a copy stands in for (plan::MountOverlay).
struct Copied {
  bool kept = false;  ///< the tree whose changes are kept
  bool any = false;
};

/// Processor time inside that is ours and not the command's.
struct SetupTime {
  os::CpuTime payload{};    ///< of its process, before that became the command
  os::CpuTime ungrouped{};  ///< of that, before the process was in its groups of v1
  os::CpuTime init{};       ///< so far; after reap() all of it, or nearly, when orphans were killed
};

class Sandbox {
 public:
  Sandbox();
  Sandbox(Sandbox&&) noexcept;
  Sandbox& operator=(Sandbox&&) noexcept;
  ~Sandbox();

  [[nodiscard]] int pidfd() const;  ///< init's; readable when the whole tree has ended
  /// Hung up when init has reaped the payload, see payload_ended(), or has died.
  [[nodiscard]] int end_fd() const;
  [[nodiscard]] pid_t init_pid() const;
  os::UniqueFd take_pty_master();  ///< invalid when the plan has no pty
  /// Hears of denied calls; invalid when nobody wants to, or nobody can.
  os::UniqueFd take_listener();
  /// The folder that takes what the payload changes in its workspace; invalid unless the plan keeps
  /// that.
  os::UniqueFd take_changes();
  /// Which overlays have a copy in their place.
  [[nodiscard]] Copied copied() const;
  /// A copy of the sandbox's tree of mounts, as the payload sees it; invalid unless the plan keeps
  /// artifacts.
  os::UniqueFd take_root();
  /// The ways into its network; nullopt unless the plan has a gateway.
  std::optional<os::GatewaySockets> take_gateway();
  /// The host's id that the payload runs as, when root has started it.
  [[nodiscard]] std::optional<std::uint32_t> reserved_id() const;
  [[nodiscard]] int exec_errno() const;      ///< 0, or why the command could not be executed
  [[nodiscard]] bool payload_ended() const;  ///< init has reaped it, and ends the rest of the tree
  /// Nothing of the command lives any more, although init may not have ended yet. It also is what
  /// a group of v1 has in it.
  [[nodiscard]] bool is_empty() const;
  /// How many of the tree are ours: init, and without a pid namespace the keeper.
  [[nodiscard]] unsigned own_processes() const;
  /// Processor time of the command and its reaped children; 0 before payload_ended().
  [[nodiscard]] std::uint64_t payload_cpu_us() const;
  [[nodiscard]] SetupTime setup_time() const;

  /// Sends `signal` to the payload's process group (as a terminal would); no error when it ended.
  void signal_payload(int signal) const;
  /// Stops the whole tree, or lets it go on: by its v2 cgroup, which the tree cannot see, else by
  /// SIGSTOP and SIGCONT. None of it runs code of its own after that. ETIMEDOUT: a process would
  /// not stop, and all of them run again.
  [[nodiscard]] SysResult<void> pause() const;
  [[nodiscard]] SysResult<void> resume() const;
  /// SIGKILL for the whole tree: cgroup.kill where there is one, and init.
  void kill_tree() const;
  /// Reaps init once pidfd() is readable or is_empty(); waits for it. Returns the payload's wait
  /// status when init reported it.
  std::optional<int> reap(int& init_wait_status);

  /// Removes the cgroups of that version, and with them what they have counted; those of v2, which
  /// have init in them, after reap().
  void remove_groups(int version);

  /// Removes what killed supervisors left in the folders where our own groups are; `live`: the ids
  /// of runs, sorted, that have left nothing.
  void sweep_leftovers(const plan::Plan& plan, std::span<const std::string> live) const;

  /// A step of init's that failed when the payload may have been running already: what init does
  /// last. Valid after reap().
  [[nodiscard]] std::optional<Error> failure(const plan::Plan& plan) const;

  /// The cgroup folders of this run, for the accounting: controller name -> open folder; "": the v2
  /// group, whatever it limits.
  [[nodiscard]] int cgroup_fd(std::string_view controller) const;  ///< -1: none
  [[nodiscard]] int cgroup_version(std::string_view controller) const;
  /// Monotonic nanoseconds: when we learned that the payload runs.
  [[nodiscard]] std::uint64_t exec_time_ns() const;
  /// The same clock: from when on its processor time is the command's, by which it cannot have used
  /// more than has passed. We may learn of the exec when a short command has ended already.
  [[nodiscard]] std::uint64_t command_time_ns() const;
  /// CPU time and peak of the whole tree, as the kernel added it up for us; valid after reap().
  [[nodiscard]] const struct ::rusage& tree_usage() const;

  struct State;
  explicit Sandbox(std::unique_ptr<State> state);

 private:
  std::unique_ptr<State> state_;
};

/// Runs the plan up to the payload's exec. `interrupt_fd` (a signalfd, or -1): readable ends the
/// launch with an Error of kind setup and errno EINTR. On any error nothing of the run is left.
/// A command that cannot be executed is not an error here: Sandbox::exec_errno() tells.
/// `meanwhile.rest` is called once, while init and payload set up: the command does not run before
/// it returns, nor after its error, and a short one costs the start nothing.
/// `secrets`: the values, by Plan::secrets; not needed any more when this returns. When there are
/// some, our own memory is closed already (os::close_memory), and again when this returns.
/// `clock` takes the times of all steps, and of the command behind them.
Result<Sandbox> launch(const plan::Plan& plan, const StdioFds& stdio, int interrupt_fd,
                       const Meanwhile& meanwhile, std::span<const os::SecretMemory> secrets = {},
                       StepClock clock = {});

}  // namespace sbx::launch
