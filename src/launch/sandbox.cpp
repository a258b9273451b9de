// The live sandbox as the supervisor sees it.
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <new>

#include "launch/shared_run.hpp"
#include "launch/state.hpp"
#include "os/cgroup_freeze.hpp"
#include "os/process.hpp"
#include "os/process_tree.hpp"

namespace sbx::launch {
namespace {

/// The supervisor does nothing else meanwhile, and only a process deep in the kernel needs longer.
constexpr std::chrono::milliseconds kFreezeWithin{500};

/// Without a pid namespace it is init that ends the tree when we are gone, by a signal that a
/// frozen process does not take: there init stops the others, and is not stopped itself.
const os::Cgroup* freezable(const Sandbox::State& state) {
  const auto found = std::ranges::find(state.cgroups, 2, &os::Cgroup::version);
  return found == state.cgroups.end() || state.shares_host ? nullptr : &*found;
}

/// Init stops the tree: nobody in it runs any code of its own once SIGSTOP has been sent to all, so
/// that this is what there is to wait for. ETIMEDOUT: init did not get that far.
SysResult<void> await_stop(const SharedPage& page, std::uint32_t stops_before, int end_fd) {
  const auto until = std::chrono::steady_clock::now() + kFreezeWithin;
  while (page.stops.load(std::memory_order_acquire) == stops_before) {
    if (std::chrono::steady_clock::now() >= until) return std::unexpected(Errno{ETIMEDOUT});
    ::pollfd end{.fd = end_fd, .events = 0, .revents = 0};
    if (::poll(&end, 1, 1) > 0) break;  // there is nobody left to stop
  }
  return {};
}

}  // namespace

PageOwner::~PageOwner() {
  if (page_ != nullptr) ::munmap(page_, sizeof(SharedPage));
}

bool PageOwner::map() {
  void* memory = ::mmap(nullptr, sizeof(SharedPage), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  page_ = new (memory) SharedPage;
  return true;
}

Sandbox::State::~State() {
  if (init_pid <= 0 || reaped) return;
  channel.reset();  // an init that still waits for a message of ours stops waiting
  kill_tree();
  reap();
}

/// init alone can end all of it at once, and has the private folder to remove; it must be able to
/// run for that.
void Sandbox::State::end_shared_tree() const {
  if (reaped) return;
  for (const os::Cgroup& group : cgroups)
    if (group.version() == 2) static_cast<void>(os::thaw_cgroup(group.fd()));
  static_cast<void>(os::signal_child(init_pid, os::end_tree_signal()));
  static_cast<void>(os::signal_child(init_pid, SIGCONT));
}

void Sandbox::State::kill_tree() const {
  if (shares_host) return end_shared_tree();
  for (const os::Cgroup& group : cgroups) static_cast<void>(group.kill());
  if (!reaped) static_cast<void>(os::signal_child(init_pid, SIGKILL));
}

int Sandbox::State::reap() {
  const auto ended = os::wait_for(init_pid);
  reaped = true;
  if (shares_host && page.get()->payload_ended.load(std::memory_order_acquire) == 0)
    end_orphans(*this);
  if (!ended) return 0;
  usage = ended->usage;
  return ended->wait_status;
}

Sandbox::Sandbox() = default;
Sandbox::Sandbox(std::unique_ptr<State> state) : state_(std::move(state)) {}
Sandbox::Sandbox(Sandbox&&) noexcept = default;
Sandbox& Sandbox::operator=(Sandbox&&) noexcept = default;
Sandbox::~Sandbox() = default;

int Sandbox::pidfd() const { return state_->init_pidfd.get(); }
int Sandbox::end_fd() const { return state_->channel.get(); }
pid_t Sandbox::init_pid() const { return state_->init_pid; }
os::UniqueFd Sandbox::take_pty_master() { return std::move(state_->pty_master); }
os::UniqueFd Sandbox::take_listener() { return std::move(state_->listener); }
os::UniqueFd Sandbox::take_changes() { return std::move(state_->changes); }
Copied Sandbox::copied() const {
  const std::uint32_t copied = state_->page.get()->copied.load();
  return {.kept = (copied & kCopiedKept) != 0, .any = copied != 0};
}
std::optional<os::GatewaySockets> Sandbox::take_gateway() { return state_->gateway.take(); }
os::UniqueFd Sandbox::take_root() { return std::move(state_->root); }
std::optional<std::uint32_t> Sandbox::reserved_id() const {
  if (!state_->host_id.lock.valid()) return std::nullopt;
  return state_->host_id.id;
}
int Sandbox::exec_errno() const { return state_->page.get()->exec_errno.load(); }
bool Sandbox::payload_ended() const {
  return state_->page.get()->payload_ended.load(std::memory_order_acquire) != 0;
}
bool Sandbox::is_empty() const {
  return payload_ended() && !state_->shares_host && state_->page.get()->alone.load() != 0;
}
unsigned Sandbox::own_processes() const { return state_->shares_host ? 2 : 1; }
std::uint64_t Sandbox::payload_cpu_us() const { return state_->page.get()->payload_cpu_us.load(); }
SetupTime Sandbox::setup_time() const {
  const SharedPage& page = *state_->page.get();
  SetupTime time{.payload = page.payload_setup.load(),
                 .ungrouped = page.payload_ungrouped.load(),
                 .init = page.init_own.load()};
  if (state_->reaped && page.alone.load() != 0)
    time.init = os::minus(os::cpu_time(state_->usage), page.init_reaped.load());
  return time;
}
std::uint64_t Sandbox::exec_time_ns() const { return state_->exec_time_ns; }
std::uint64_t Sandbox::command_time_ns() const { return state_->command_time_ns; }
const struct ::rusage& Sandbox::tree_usage() const { return state_->usage; }

void Sandbox::signal_payload(int signal) const {
  // init passes it on; when it has ended already there is nobody to tell.
  if (!state_->reaped) static_cast<void>(os::signal_child(state_->init_pid, signal));
}

SysResult<void> Sandbox::pause() const {
  if (const os::Cgroup* group = freezable(*state_))
    return os::freeze_cgroup(group->fd(), kFreezeWithin);
  const SharedPage& page = *state_->page.get();
  const std::uint32_t before = page.stops.load(std::memory_order_acquire);
  signal_payload(SIGTSTP);  // init stops the whole tree
  auto stopped = await_stop(page, before, state_->channel.get());
  if (!stopped) static_cast<void>(resume());
  return stopped;
}

SysResult<void> Sandbox::resume() const {
  if (const os::Cgroup* group = freezable(*state_)) return os::thaw_cgroup(group->fd());
  signal_payload(SIGCONT);
  return {};
}

void Sandbox::kill_tree() const { state_->kill_tree(); }

std::optional<int> Sandbox::reap(int& init_wait_status) {
  // It has nothing left to do but to end, and somebody may have frozen or stopped it just before.
  if (is_empty()) static_cast<void>(os::signal_child(state_->init_pid, SIGKILL));
  init_wait_status = state_->reap();
  const SharedPage& page = *state_->page.get();
  if (page.payload_ended.load(std::memory_order_acquire) == 0) return std::nullopt;
  return page.payload_status.load();
}

void Sandbox::remove_groups(int version) {
  std::erase_if(state_->cgroups,
                [version](const os::Cgroup& group) { return group.version() == version; });
}

void Sandbox::sweep_leftovers(const plan::Plan& plan, std::span<const std::string> live) const {
  for (const os::Cgroup& group : state_->cgroups) os::sweep_cgroups(group.parent_fd(), live);
  if (state_->shares_host) sweep_private_folders(plan);
}

const os::Cgroup* Sandbox::State::group_of(std::string_view controller) const {
  for (const os::Cgroup& group : cgroups)
    if (controller.empty() ? group.version() == 2 : group.has(controller)) return &group;
  return nullptr;
}

int Sandbox::cgroup_fd(std::string_view controller) const {
  const os::Cgroup* const group = state_->group_of(controller);
  return group == nullptr ? -1 : group->fd();
}

int Sandbox::cgroup_version(std::string_view controller) const {
  const os::Cgroup* const group = state_->group_of(controller);
  return group == nullptr ? 0 : group->version();
}

}  // namespace sbx::launch
