#include "cli/batch/policies.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cli/narrate.hpp"
#include "cli/secrets.hpp"
#include "network/policy.hpp"
#include "os/own_memory.hpp"
#include "os/probe.hpp"
#include "plan/build.hpp"
#include "profile/load.hpp"
#include "supervise/stdio_setup.hpp"

namespace sbx::cli::batch {
namespace {

using profile::Problems;
using sbx::batch::Job;
using sbx::batch::JobInput;

constexpr std::size_t kMostKept = 256;  // some 50 KiB each

std::unexpected<Problems> only(std::string what, std::string hint) {
  return std::unexpected(Problems{Error{ErrorKind::profile, std::move(what), {}, std::move(hint)}});
}

/// Each job is a process of its own, and all of them share the offset of a descriptor.
std::expected<void, Problems> check_secrets(const profile::Profile& profile) {
  for (const profile::Secret& secret : profile.secrets)
    if (secret.from.starts_with("fd:"))
      return only("the secret " + quote(secret.name) +
                      " comes from a descriptor, which only one "
                      "run can read",
                  "file: or env: can be read by each of them");
  return {};
}

/// Is there anything on the host that a run of it leaves different, or takes from others?
bool touches_host(const profile::Profile& profile) {
  const profile::Workspace& workspace = profile.workspace;
  const auto writable = [](const profile::Mount& mount) {
    const auto* const bind = std::get_if<profile::BindMount>(&mount.what);
    return bind != nullptr && bind->writable;
  };
  return workspace.mode == profile::WorkspaceMode::rw ||
         (workspace.mode == profile::WorkspaceMode::overlay &&
          workspace.keep != profile::Keep::none) ||
         std::ranges::any_of(profile.mounts, writable) || !profile.network.publish.empty() ||
         profile.network.mode == profile::NetworkMode::host;
}

/// Has its sandbox a copy of something of the host's, which nobody knows the size of, before the
/// command runs?
bool copies(const profile::Profile& profile) {
  const auto copied = [](const profile::Mount& mount) {
    return std::holds_alternative<profile::CopyMount>(mount.what);
  };
  return std::ranges::any_of(profile.mounts, copied) ||
         (profile.workspace.mode == profile::WorkspaceMode::overlay &&
          std::ranges::find(profile.degrade, "overlay") != profile.degrade.end());
}

/// The home of the plan's groups if who makes them has to go out of their way.
std::optional<CgroupHome> group_to_leave(const plan::Plan& plan) {
  for (const plan::Step& step : plan.steps)
    if (const auto* const group = std::get_if<plan::MakeCgroup>(&step.action))
      if (group->homes.front().way == CgroupWay::leaf) return group->homes.front();
  return std::nullopt;
}

std::string input_path(const Job& job, const std::string& cwd) {
  return job.input.text.starts_with('/') ? job.input.text : cwd + "/" + job.input.text;
}

/// Of the file that is the job's standard input, or, of the first job alone, the policy's.
std::optional<Error> input_problem(const Job& job, const std::string& cwd,
                                   const profile::Profile& profile, bool first) {
  std::string path;
  if (job.input.kind == JobInput::Kind::file) path = input_path(job, cwd);
  const bool of_policy = job.input.kind == JobInput::Kind::none;
  if (of_policy && first) path = profile.stdio.input;
  if (!path.starts_with('/')) return std::nullopt;  // none, or one of the words for what is no file
  auto opened = supervise::open_input(path);
  if (opened) return std::nullopt;
  Error error = std::move(opened).error();
  const auto written = profile.origins.find("stdio.stdin");
  if (of_policy && written != profile.origins.end()) error.where = written->second.to_string();
  // No job has a standard input that could be redirected.
  if (error.sys_errno == 0) error.hint = R"(name one that is, or give its bytes: "text")";
  return error;
}

/// An entry comes before all that the profile has in `mounts`: where those are written goes along.
void move_places(profile::Profile& profile) {
  constexpr std::string_view kEntry = "mounts[";
  auto& origins = profile.origins;
  std::vector<std::pair<std::string, Origin>> moved;
  for (auto at = origins.lower_bound(kEntry); at != origins.end() && at->first.starts_with(kEntry);
       at = origins.erase(at)) {
    const std::string_view name = std::string_view(at->first).substr(kEntry.size());
    std::size_t number = 0;
    std::from_chars(name.data(), name.data() + name.size(), number);
    moved.emplace_back("mounts[" + std::to_string(number + 1) +
                           std::string(name.substr(std::min(name.find(']'), name.size()))),
                       at->second);
  }
  origins.insert(std::make_move_iterator(moved.begin()), std::make_move_iterator(moved.end()));
}

void put_files(const Job& job, profile::Profile& profile) {
  const std::string& top = profile.workspace.at;
  profile::TmpfsMount folder;
  folder.target = top;
  folder.size = profile.workspace.size;
  const Origin files{"files"};
  move_places(profile);
  profile.mounts.insert(profile.mounts.begin(), {folder, files});
  profile.origins.emplace("mounts[0]", files);
  for (const sbx::batch::JobFile& file : job.files) {
    profile.origins.emplace("mounts[" + std::to_string(profile.mounts.size()) + "]", files);
    profile.mounts.push_back(
        {profile::FileMount{top + "/" + file.path, file.content, file.perm, true}, files});
  }
  if (!profile.workdir) profile.workdir = top;
  profile.workspace.mode = profile::WorkspaceMode::none;
}

std::expected<void, Problems> check_files(const Job& job, const profile::Profile& profile) {
  if (profile.workspace.mode == profile::WorkspaceMode::overlay &&
      profile.workspace.keep != profile::Keep::none)
    return only(
        "`files` make a workspace of the job's own, of which `workspace.keep` keeps nothing",
        "leave one of them out; `artifacts` can keep what the command makes");
  for (const profile::Mount& mount : profile.mounts) {
    const std::string target = std::visit([](const auto& what) { return what.target; }, mount.what);
    for (const sbx::batch::JobFile& file : job.files)
      if (profile.workspace.at + "/" + file.path == target)
        return only("`files`: the profile has something else at " + quote(target),
                    "it is at " + mount.origin.to_string());
  }
  return {};
}

}  // namespace

std::expected<void, Problems> add_job(const Job& job, const std::string& cwd,
                                      profile::Profile& profile) {
  if (!job.files.empty()) {
    SBX_CHECK(check_files(job, profile));
    put_files(job, profile);
  }
  switch (job.input.kind) {
    case JobInput::Kind::none:
      break;
    case JobInput::Kind::bytes:
      profile.stdio.input = "inherit";  // of the process of the job, which has them there
      break;
    case JobInput::Kind::file:
      profile.stdio.input = input_path(job, cwd);
      break;
  }
  return {};
}

plan::Invocation invocation_of(const Job& job, const std::string& run_id) {
  plan::Invocation invocation;
  invocation.run_id = run_id;
  invocation.command = job.argv;
  invocation.json = true;
  invocation.quiet = true;
  return invocation;
}

Policies::Policies(const Arguments& arguments, Caller caller)
    : arguments_(arguments), caller_(std::move(caller)) {}

std::string Policies::name_of(const Job& job) const {
  if (!job.profile.empty()) return job.profile;
  return arguments_.profile.empty() ? "default" : arguments_.profile;
}

std::expected<Grounds, Problems> Policies::load(const Job& job) const {
  profile::LoadRequest request{
      .name = name_of(job), .overrides = job.overrides, .env = caller_.env, .cwd = caller_.cwd};
  // Last, so that they win: who starts the batch decides, and a job's line may be somebody else's.
  request.overrides.insert(request.overrides.end(), arguments_.overrides.begin(),
                           arguments_.overrides.end());
  profile::Profile profile = SBX_TRY(load_profile(request));
  SBX_CHECK(check_secrets(profile));
  Grounds grounds = SBX_TRY(survey(std::move(profile), caller_, Verb::run, arguments_.dry_run));
  // Nothing of the coordinator's own streams reaches a job.
  grounds.facts.stdin_is_tty = grounds.facts.stdout_is_tty = grounds.facts.stderr_is_tty = false;
  return grounds;
}

std::expected<void, Problems> Policies::guard_secrets(const profile::Profile& profile) {
  if (profile.secrets.empty()) return {};
  if (const auto closed = os::close_memory(); !closed)
    return std::unexpected(Problems{{.kind = ErrorKind::host,
                                     .what = "cannot close our memory to others",
                                     .sys_errno = closed.error().value}});
  constexpr std::string_view kVariable = "env:";
  for (const profile::Secret& secret : profile.secrets)
    if (secret.from.starts_with(kVariable))
      secret_variables_.insert(secret.from.substr(kVariable.size()));
  return {};
}

/// Each port has a bit of its own as long as there are 64; with more some share one, and their jobs
/// wait for each other in vain.
std::uint64_t Policies::ports_of(const profile::Profile& profile) {
  std::uint64_t bits = 0;
  for (const std::string& entry : profile.network.publish)
    if (const auto published = network::parse_publish(entry))
      bits |= std::uint64_t{1}
              << (ports_.try_emplace(published->host_port, ports_.size()).first->second % 64);
  return bits;
}

void Policies::forget_secrets(Grounds& own) {
  for (const std::string& name : secret_variables_) {
    forget_variable(name, caller_.env);
    forget_variable(name, own.facts.env);
    for (Grounds& other : kept_) forget_variable(name, other.facts.env);
  }
}

/// What this host cannot do is told once, and before anything starts.
std::expected<void, Problems> Policies::try_plan(const Job& job, const Grounds& grounds) {
  Grounds trial{grounds.profile, grounds.facts, {}};
  SBX_CHECK(add_job(job, caller_.cwd, trial.profile));
  look_again(trial);
  auto plan = plan::build(trial.profile, invocation_of(job, ""), trial.facts);
  if (!plan) return std::unexpected(Problems{std::move(plan).error()});
  if (std::string lacks = degraded_text(*plan); !lacks.empty()) degraded_.insert(std::move(lacks));
  if (!own_group_) own_group_ = group_to_leave(*plan);
  return {};
}

std::expected<Policies::Found, Problems> Policies::find(const Job& job, std::size_t length) {
  const auto known = numbers_.find(job.policy());
  std::optional<Grounds> fresh;
  if (known == numbers_.end()) fresh = SBX_TRY(load(job));
  const Grounds& grounds = fresh ? *fresh : kept_[known->second];
  if (job.argv.empty() && grounds.profile.command.empty() && !grounds.image)
    return only("it has no command: neither `argv`, nor one in its profile",
                R"(such as {"argv": ["python3", "code.py"]})");
  if (!job.files.empty()) SBX_CHECK(check_files(job, grounds.profile));
  Found found{.number = fresh ? kNotKept : known->second,
              .profile = sbx::batch::digest_of(grounds.profile.sha256),
              .need = sbx::batch::need_of(grounds.profile.limits, length),
              .ahead = !copies(grounds.profile)};
  // Of a batch that goes on, the job may have been run, and its input be no more.
  if (!arguments_.resume)
    found.input = input_problem(job, caller_.cwd, grounds.profile, fresh.has_value());
  found.need.ports = ports_of(grounds.profile);
  if (fresh) {
    SBX_CHECK(guard_secrets(grounds.profile));
    if (touches_host(grounds.profile)) independent_ = false;
  }
  Tried fresh_tried;
  bool& tried = (fresh ? fresh_tried : tried_[found.number]).of(job);
  if (!tried) SBX_CHECK(try_plan(job, grounds));
  tried = true;
  if (fresh && kept_.size() < kMostKept) {
    found.number = static_cast<std::uint32_t>(kept_.size());
    numbers_.emplace(job.policy(), found.number);
    kept_.push_back(*std::move(fresh));
    tried_.push_back(fresh_tried);
  }
  return found;
}

std::expected<Grounds, Problems> Policies::take(std::uint32_t number,
                                                const sbx::batch::Digest& profile, const Job& job) {
  if (number != kNotKept) return std::move(kept_[number]);
  Grounds grounds = SBX_TRY(load(job));
  if (sbx::batch::digest_of(grounds.profile.sha256) == profile) return grounds;
  return only("the profile " + quote(name_of(job)) + " has changed since the batch began",
              "profiles lie best where no job can write");
}

}  // namespace sbx::cli::batch
