// Joins the supervisor to the real launcher.
#include <utility>

#include "supervise/live_sandbox.hpp"
#include "supervise/supervisor.hpp"

namespace sbx::supervise {
namespace {

class Launched final : public LiveSandbox {
 public:
  explicit Launched(launch::Sandbox sandbox) : sandbox_(std::move(sandbox)) {}

  int pidfd() const override { return sandbox_.pidfd(); }
  int end_fd() const override { return sandbox_.end_fd(); }
  pid_t init_pid() const override { return sandbox_.init_pid(); }
  os::UniqueFd take_pty_master() override { return sandbox_.take_pty_master(); }
  os::UniqueFd take_listener() override { return sandbox_.take_listener(); }
  os::UniqueFd take_changes() override { return sandbox_.take_changes(); }
  launch::Copied copied() const override { return sandbox_.copied(); }
  os::UniqueFd take_root() override { return sandbox_.take_root(); }
  std::optional<os::GatewaySockets> take_gateway() override { return sandbox_.take_gateway(); }
  std::optional<std::uint32_t> reserved_id() const override { return sandbox_.reserved_id(); }
  int exec_errno() const override { return sandbox_.exec_errno(); }
  bool payload_ended() const override { return sandbox_.payload_ended(); }
  bool is_empty() const override { return sandbox_.is_empty(); }
  unsigned own_processes() const override { return sandbox_.own_processes(); }
  std::uint64_t payload_cpu_us() const override { return sandbox_.payload_cpu_us(); }
  launch::SetupTime setup_time() const override { return sandbox_.setup_time(); }
  void signal_payload(int signal) const override { sandbox_.signal_payload(signal); }
  SysResult<void> pause() const override { return sandbox_.pause(); }
  SysResult<void> resume() const override { return sandbox_.resume(); }
  void kill_tree() const override { sandbox_.kill_tree(); }
  std::optional<int> reap(int& init_wait_status) override {
    return sandbox_.reap(init_wait_status);
  }
  void remove_groups(int version) override { sandbox_.remove_groups(version); }
  void sweep_leftovers(const plan::Plan& plan, std::span<const std::string> live) override {
    sandbox_.sweep_leftovers(plan, live);
  }
  std::optional<Error> failure(const plan::Plan& plan) const override {
    return sandbox_.failure(plan);
  }
  int cgroup_fd(std::string_view controller) const override {
    return sandbox_.cgroup_fd(controller);
  }
  int cgroup_version(std::string_view controller) const override {
    return sandbox_.cgroup_version(controller);
  }
  std::uint64_t exec_time_ns() const override { return sandbox_.exec_time_ns(); }
  std::uint64_t command_time_ns() const override { return sandbox_.command_time_ns(); }
  const struct ::rusage& tree_usage() const override { return sandbox_.tree_usage(); }

 private:
  launch::Sandbox sandbox_;
};

Result<std::unique_ptr<LiveSandbox>> launch_real(const plan::Plan& plan,
                                                 const launch::StdioFds& stdio, int interrupt_fd,
                                                 const launch::Meanwhile& meanwhile,
                                                 const Sinks& sinks) {
  launch::StepClock steps;
  if (sinks.clock != nullptr) steps = SBX_TRY(sinks.clock->steps(plan));
  std::span<const os::SecretMemory> secrets;
  if (sinks.secrets != nullptr) secrets = *sinks.secrets;
  return std::make_unique<Launched>(
      SBX_TRY(launch::launch(plan, stdio, interrupt_fd, meanwhile, secrets, steps)));
}

}  // namespace

Outcome run_sandbox(const plan::Plan& plan, const Sinks& sinks) {
  const auto launcher = [&sinks](const auto&... given) { return launch_real(given..., sinks); };
  return supervise(plan, sinks, launcher);
}

}  // namespace sbx::supervise
