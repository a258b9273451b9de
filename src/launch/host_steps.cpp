#include "launch/host_steps.hpp"

#include <unistd.h>

#include <cerrno>
#include <utility>
#include <variant>

#include "base/fixed_text.hpp"
#include "base/text.hpp"
#include "os/cgroup_file.hpp"
#include "os/idmap.hpp"
#include "os/idmap_refusals.hpp"
#include "os/inherited.hpp"
#include "os/mount.hpp"
#include "os/mountinfo.hpp"
#include "os/pass_descriptors.hpp"
#include "plan/hints.hpp"

namespace sbx::launch {
namespace {

using Done = SysResult<void>;

/// What the supervisor's steps share.
struct Host {
  const plan::Plan& plan;
  Sandbox::State& state;
  std::string detail{};  ///< of a step that fails: e.g. the cgroup file that refused
};

Done reserve(const plan::ReserveHostId& step, Host& host) {
  host.state.host_id = SBX_TRY(os::reserve_host_id(step.first, step.count));
  return {};
}

/// What to tell of a tree that could not be mapped.
std::string refusal_inside(const std::string& folder, int space) {
  const std::string mount =
      os::refusing_mount(os::read_kernel_text("/proc/self/mountinfo"), folder, space);
  return mount.empty() ? "" : "what refuses is mounted in it, at " + quote(mount);
}

Done detach(const plan::DetachTree& step, Host& host) {
  const os::UniqueFd source = SBX_TRY(os::open_path_strict(step.source.c_str()));
  const os::UniqueFd tree = SBX_TRY(os::clone_tree(source.get(), step.recursive));
  if (step.idmap) {
    // "inside" is what is on disk, "outside" what the sandbox's host id sees (mount_setattr(2)).
    const std::uint32_t run_id = host.state.host_id.id;
    const os::UniqueFd space =
        SBX_TRY(host.state.namespaces.make({step.owner_uid, step.owner_gid, run_id, run_id}));
    const Done mapped = os::idmap_tree(tree.get(), space.get(), step.recursive);
    if (!mapped && step.recursive) host.detail = refusal_inside(step.source, space.get());
    SBX_CHECK(mapped);
  }
  const int passed[] = {tree.get()};
  return os::send_descriptors(host.state.channel.get(), passed);
}

Done make_cgroup(const plan::MakeCgroup& step, Host& host) {
  os::CgroupSpec spec{step.version, step.controllers, step.homes, step.name, {}};
  for (const plan::CgroupSetting& setting : step.settings)
    spec.settings.push_back({setting.file, setting.value});
  os::Cgroup group = SBX_TRY(os::Cgroup::create(spec, host.detail));
  host.state.cgroups.push_back(std::move(group));
  return {};
}

Done reset_oom_score(const Host& host) {
  return os::reset_oom_score(FixedText<16>().add(host.state.init_pid).c_str());
}

Done write_maps(const plan::WriteIdMaps& step, Host& host) {
  const bool root = step.reserved;
  const std::uint32_t uid = root ? host.state.host_id.id : ::geteuid();
  const std::uint32_t gid = root ? host.state.host_id.id : ::getegid();
  // Never host uid 0, whatever went wrong before.
  if (uid == 0 || gid == 0) return std::unexpected(Errno{EPERM});
  SBX_CHECK(
      os::write_id_maps(host.state.init_pid, {step.inner_uid, step.inner_gid, uid, gid}, !root));
  return os::send_descriptors(host.state.channel.get(), {});
}

Done hand_over_groups(const Host& host) {
  std::vector<os::UniqueFd> files;
  std::vector<int> numbers;
  for (const os::Cgroup& group : host.state.cgroups) {
    if (group.version() != 1) continue;  // v2: clone3 has put init in
    files.push_back(SBX_TRY(group.open_tasks()));
    numbers.push_back(files.back().get());
  }
  return os::send_descriptors(host.state.channel.get(), numbers);
}

struct Execute {
  Host& host;
  Done operator()(const plan::ReserveHostId& step) const { return reserve(step, host); }
  Done operator()(const plan::DetachTree& step) const { return detach(step, host); }
  Done operator()(const plan::MakeCgroup& step) const { return make_cgroup(step, host); }
  Done operator()(const plan::ResetOomScore&) const { return reset_oom_score(host); }
  Done operator()(const plan::WriteIdMaps& step) const { return write_maps(step, host); }
  Done operator()(const plan::HandOverCgroups&) const { return hand_over_groups(host); }
  Done operator()(const plan::Fail& step) const { return std::unexpected(Errno{step.error}); }
  /// Everything else belongs to init or the payload: a plan that says otherwise is wrong.
  template <class Other>
  Done operator()(const Other&) const {
    return std::unexpected(Errno{EPROTO});
  }
};

}  // namespace

Result<void> run_host_phase(const plan::Plan& plan, plan::Phase phase, Sandbox::State& state,
                            const Meanwhile* meanwhile) {
  Host host{plan, state};
  bool groups = false;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (plan.steps[i].phase != phase) continue;
    if (meanwhile != nullptr && std::holds_alternative<plan::MakeCgroup>(plan.steps[i].action) &&
        !std::exchange(groups, true) && meanwhile->before_groups)
      meanwhile->before_groups();
    state.clock.begin(i);
    const Done done = std::visit(Execute{host}, plan.steps[i].action);
    state.clock.end(i, done ? 0 : done.error().value);
    if (!done) return std::unexpected(plan::step_error(plan, i, done.error().value, host.detail));
  }
  return {};
}

}  // namespace sbx::launch
