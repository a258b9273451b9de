// The little that the supervisor needs of a running sandbox. launch::Sandbox is the real one
// (launched.cpp); tests put a plain process in its place.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "launch/launcher.hpp"
#include "os/fd.hpp"
#include "plan/plan.hpp"

namespace sbx::supervise {

/// See launch::Sandbox for what each member promises.
class LiveSandbox {
 public:
  LiveSandbox() = default;
  LiveSandbox(const LiveSandbox&) = delete;
  LiveSandbox& operator=(const LiveSandbox&) = delete;
  LiveSandbox(LiveSandbox&&) = delete;
  LiveSandbox& operator=(LiveSandbox&&) = delete;
  virtual ~LiveSandbox() = default;

  [[nodiscard]] virtual int pidfd() const = 0;
  [[nodiscard]] virtual int end_fd() const { return -1; }
  [[nodiscard]] virtual pid_t init_pid() const = 0;
  [[nodiscard]] virtual os::UniqueFd take_pty_master() = 0;
  [[nodiscard]] virtual os::UniqueFd take_listener() = 0;
  [[nodiscard]] virtual os::UniqueFd take_changes() = 0;
  [[nodiscard]] virtual launch::Copied copied() const = 0;
  [[nodiscard]] virtual os::UniqueFd take_root() = 0;
  [[nodiscard]] virtual std::optional<os::GatewaySockets> take_gateway() = 0;
  [[nodiscard]] virtual std::optional<std::uint32_t> reserved_id() const = 0;
  [[nodiscard]] virtual int exec_errno() const = 0;
  [[nodiscard]] virtual bool payload_ended() const { return false; }
  [[nodiscard]] virtual bool is_empty() const { return false; }
  /// Processor time of the command and its reaped children, once it has ended.
  [[nodiscard]] virtual std::uint64_t payload_cpu_us() const { return 0; }
  [[nodiscard]] virtual launch::SetupTime setup_time() const { return {}; }
  virtual void signal_payload(int signal) const = 0;
  [[nodiscard]] virtual SysResult<void> pause() const = 0;
  [[nodiscard]] virtual SysResult<void> resume() const = 0;
  virtual void kill_tree() const = 0;
  virtual std::optional<int> reap(int& init_wait_status) = 0;
  virtual void remove_groups(int /*version*/) {}
  virtual void sweep_leftovers(const plan::Plan& /*plan*/, std::span<const std::string> /*live*/) {}
  [[nodiscard]] virtual std::optional<Error> failure(const plan::Plan& plan) const = 0;
  [[nodiscard]] virtual int cgroup_fd(std::string_view controller) const = 0;
  [[nodiscard]] virtual int cgroup_version(std::string_view controller) const = 0;
  /// How many processes of a v2 group are ours: init, and the keeper where there is one.
  [[nodiscard]] virtual unsigned own_processes() const { return 1; }
  [[nodiscard]] virtual std::uint64_t exec_time_ns() const = 0;
  [[nodiscard]] virtual std::uint64_t command_time_ns() const { return exec_time_ns(); }
  [[nodiscard]] virtual const struct ::rusage& tree_usage() const = 0;
};

/// launch::launch, or what a test puts in its place.
using Launcher = std::function<Result<std::unique_ptr<LiveSandbox>>(
    const plan::Plan& plan, const launch::StdioFds& stdio, int interrupt_fd,
    const launch::Meanwhile& meanwhile)>;

}  // namespace sbx::supervise
