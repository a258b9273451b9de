#include "plan/shared_host.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "plan/processes.hpp"
#include "plan/wanted_limits.hpp"

namespace sbx::plan {
namespace {

constexpr int kSignalScope = 6;  // Landlock ABI, Linux 6.12

/// What a sandbox has by its namespaces, and this one has not.
constexpr std::array kMissing{"userns",           "namespaces", "hidden-files",
                              "hidden-processes", "hostname",   "tmp-size"};

bool is_elsewhere(const Builder& b, const profile::Mount& mount) {
  const auto* const bind = std::get_if<profile::BindMount>(&mount.what);
  if (bind == nullptr) return true;  // a tmpfs, or a file that is written
  const SourceFacts* const source = facts_of(b, *bind);
  return source != nullptr && source->path != bind->target;
}

bool is_other_id(const Builder& b, const std::optional<std::uint32_t>& wanted, std::uint32_t own) {
  return wanted && (b.as_root || *wanted != own);
}

/// Started by root the command is another user, and no mount shows it the owner's files as its own.
bool writes_as_other(const Builder& b) {
  if (!b.as_root) return false;
  return b.profile.workspace.mode == profile::WorkspaceMode::rw ||
         std::ranges::any_of(b.profile.mounts, [](const profile::Mount& mount) {
           const auto* const bind = std::get_if<profile::BindMount>(&mount.what);
           return bind != nullptr && bind->writable;
         });
}

/// Rules of Landlock add up: below a folder that may be written nothing can be read-only.
bool is_below_writable(const Builder& b, const SourceFacts& inner) {
  const SourceFacts* const workspace = shown_workspace(b);
  if (workspace != nullptr && b.profile.workspace.mode == profile::WorkspaceMode::rw &&
      is_below(inner.path, workspace->path))
    return true;
  return std::ranges::any_of(b.profile.mounts, [&](const profile::Mount& other) {
    const auto* const outer = std::get_if<profile::BindMount>(&other.what);
    const SourceFacts* const around = outer == nullptr ? nullptr : facts_of(b, *outer);
    return around != nullptr && outer->writable && is_below(inner.path, around->path);
  });
}

bool is_below_writable(const Builder& b, const profile::Mount& mount) {
  const auto* const inner = std::get_if<profile::BindMount>(&mount.what);
  const SourceFacts* const source = inner == nullptr ? nullptr : facts_of(b, *inner);
  return source != nullptr && !inner->writable && is_below_writable(b, *source);
}

/// Is the workspace to be read only, and below a bind that is not?
bool is_workspace_below_writable(const Builder& b) {
  const SourceFacts* const workspace = shown_workspace(b);
  return workspace != nullptr && b.profile.workspace.mode == profile::WorkspaceMode::ro &&
         is_below_writable(b, *workspace);
}

/// The keys that ask for what only namespaces give.
std::vector<std::string> needs_namespaces(const Builder& b) {
  const profile::Profile& p = b.profile;
  std::vector<std::string> keys;
  const auto note = [&keys](bool asked, std::string key) {
    if (asked) keys.push_back(std::move(key));
  };
  note(p.root.kind != profile::RootKind::host, "root");
  note(p.workspace.mode == profile::WorkspaceMode::overlay || is_workspace_below_writable(b),
       "workspace.mode");
  note(p.workspace.mode != profile::WorkspaceMode::none && p.origins.contains("workspace.at"),
       "workspace.at");
  // Below a folder that may be written nothing can be kept from it (is_below_writable()).
  note(p.workspace.git == profile::GitMode::protect &&
           p.workspace.mode != profile::WorkspaceMode::none,
       "workspace.git");
  for (std::size_t i = 0; i < p.mounts.size(); ++i)
    note(is_elsewhere(b, p.mounts[i]) || is_below_writable(b, p.mounts[i]),
         "mounts[" + std::to_string(i) + "]");
  for (const profile::Secret& secret : p.secrets)  // a file would be one of the host's
    note(!secret.place().empty(), "secrets." + secret.name);
  note(!p.mask.empty(), "mask");
  // They would be the host's.
  if (std::string queues = queues_key(b); !queues.empty()) keys.push_back(std::move(queues));
  note(!p.artifacts.collect.empty(), "artifacts.collect");  // there is no tree of the run's own
  note(is_other_id(b, p.user.uid, b.facts.euid), "user.uid");
  note(is_other_id(b, p.user.gid, b.facts.egid), "user.gid");
  // Without a network of its own nothing could hold the command to the list.
  note(p.network.mode == profile::NetworkMode::filtered, "network");
  note(p.time.any(), "namespaces.time");
  note(!p.capabilities.empty(), "capabilities");
  note(p.landlock == profile::LandlockMode::off, "landlock");
  return keys;
}

std::string refused_text(const NoNamespaces& refused) {
  const FeatureInfo& info = info_of(refused.feature);
  return std::string(info.name) + ": " +
         (refused.error == 0 ? "killed" : errno_name(refused.error));
}

Error error_about(const Builder& b, std::string what, std::string hint) {
  return {.kind = ErrorKind::host,
          .what = "this host refuses what a sandbox is made of (" +
                  refused_text(b.facts.no_namespaces.value_or(NoNamespaces{})) + "), and " +
                  std::move(what),
          .hint = std::move(hint)};
}

/// What is shown must have nothing in it that only a mount would cover: no rule of Landlock's takes
/// back what another gives.
Result<void> check_shown(const Builder& b, const std::string& key, const SourceFacts* facts,
                         bool writable) {
  if (facts == nullptr) return {};
  const std::string name = key + " (" + b.written_at(key) + ")";
  // The private folders of other runs.
  if (is_below(b.facts.temporary, facts->path))
    return std::unexpected(error_about(b,
                                       name + " contains the folder for temporary files, " +
                                           b.facts.temporary +
                                           ", where the private folders of runs are",
                                       "set TMPDIR to a folder outside of it"));
  const auto shown = shown_processes(b.facts, facts->path, writable);
  if (!shown) return {};
  return std::unexpected(error_about(
      b, name + " contains " + quote(shown->first) + ", which shows " + std::string(shown->second),
      writable ? "unmount it, name folders beside it, or show it read-only"
               : "unmount it, or name folders beside it"));
}

Result<void> check_shown(const Builder& b) {
  SBX_CHECK(check_shown(b, "workspace.source", shown_workspace(b),
                        b.profile.workspace.mode == profile::WorkspaceMode::rw));
  for (std::size_t i = 0; i < b.profile.mounts.size(); ++i)
    if (const auto* const bind = std::get_if<profile::BindMount>(&b.profile.mounts[i].what))
      SBX_CHECK(
          check_shown(b, "mounts[" + std::to_string(i) + "]", facts_of(b, *bind), bind->writable));
  return {};
}

Result<void> check_wishes(const Builder& b) {
  if (const std::vector<std::string> keys = needs_namespaces(b); !keys.empty()) {
    std::vector<std::string> places;
    places.reserve(keys.size());
    for (const std::string& key : keys) {
      const std::string at = b.written_at(key);  // files of a batch's job: all are one wish
      std::string place = key;
      place.append(" (").append(at).append(")");
      if (at == "files") place = "files of the job";
      if (std::ranges::find(places, place) == places.end()) places.push_back(std::move(place));
    }
    return std::unexpected(error_about(
        b, "tier landlock (degrade: userns) has no " + join(places, ", "),
        "take it out of the profile, or start sbx where `sbx doctor` finds namespaces"));
  }
  if (writes_as_other(b) && !b.degrades("idmap"))
    return std::unexpected(error_about(
        b, "without them the command, started by root, is a user who owns no file here",
        "start sbx as the user whose files it is to write, or accept the owners as they are: "
        "--degrade idmap"));
  if (b.facts.landlock_abi < kSignalScope)
    return std::unexpected(error_about(
        b,
        "tier landlock needs Landlock ABI 6 (Linux 6.12), which keeps signals inside; here it is " +
            (b.facts.landlock_abi == 0 ? "missing" : "ABI " + std::to_string(b.facts.landlock_abi)),
        "sbx doctor says what namespaces lack on this host"));
  SBX_CHECK(check_shown(b));
  if (b.facts.temporary.empty())
    return std::unexpected(error_about(b, "there is no folder for temporary files",
                                       "set TMPDIR to a folder, or make /tmp"));
  return {};
}

void plan_init(Builder& b) {
  b.add(Phase::clone, CloneNamespaces{0}, "this host gives none: degrade: userns", "degrade");
  b.add(Phase::init, NewSession{false}, "keys typed at the caller's terminal are not for init");
  plan_oom_score(b, Phase::init);
  if (b.as_root)
    b.add(Phase::init, BecomeReservedId{}, "the payload is nobody on the host", "user");
  b.add(Phase::init, DieWithSupervisor{true}, "a killed supervisor leaves nothing behind");
  b.add(Phase::init, NoNewPrivs{}, "Landlock asks for it");
  b.add(Phase::init, HoldTree{b.facts.landlock_abi}, "no pid namespace holds the processes");
  b.add(Phase::init, MakeScratch{scratch_path(b)}, "HOME and TMPDIR, removed at the end");
  b.add(Phase::init, ForkKeeper{}, "without init nobody else could end the tree");
  b.add(Phase::init, ForkPayload{}, "the payload runs the command, init reaps");
}

void plan_release(Builder& b) {
  plan_joining(b);
  b.add(Phase::init, HideCommandLine{}, "everybody on the host can read it");
  b.add(Phase::init, SetDumpable{false}, "nobody of the same user may trace init");
  b.add(Phase::init, ReleasePayload{}, "init holds the tree from here on");
}

void plan_payload(Builder& b, SharedFiles files) {
  b.add(Phase::payload, ResetSignals{}, "no ignored or blocked signal is inherited");
  b.add(Phase::payload, ResetInherited{seccomp::may_use_keys(b.plan.seccomp)},
        "nor a personality, priority or key of the caller's");
  plan_release(b);
  b.add(Phase::payload, DieWithInit{}, "without init nobody would hold the tree");
  if (b.plan.supervision.tty)
    b.add(Phase::payload, OpenPty{"/dev/ptmx"}, "a terminal of its own, never the caller's",
          "stdio.tty");
  plan_stdio(b);
  b.add(Phase::payload, ChangeDir{std::move(files.folder)}, "where the command starts", "workdir");
  b.add(Phase::payload, ResolveExecutable{},
        "not found or not executable is known before the filter");
  b.add(Phase::payload, NoNewPrivs{}, "no setuid binary gives anything");
  const bool offline = b.profile.network.mode != profile::NetworkMode::host;
  b.add(Phase::payload,
        ApplyLandlock{b.facts.landlock_abi, std::move(files.rules), true, offline, true},
        "only what the profile names can be opened", "degrade");
  plan_rlimits(b);
  b.add(Phase::payload, DropCapabilities{.locked = false}, "no privilege", "capabilities");
  b.add(Phase::payload, AwaitRelease{}, "init must hold the tree first");
  plan_start(b);
  b.add(Phase::guard, DropCapabilities{.locked = false}, "init only reaps from here on");
  b.add(Phase::guard, CloseDescriptors{},
        "init keeps the private folder, and what tells of the command's end");
}

}  // namespace

std::string scratch_path(const Builder& b) {
  return (b.facts.temporary == "/" ? "" : b.facts.temporary) + "/" + std::string(kScratchPrefix) +
         b.plan.run_id;
}

Result<void> plan_shared_host(Builder& b) {
  SBX_CHECK(check_wishes(b));
  if (b.as_root) SBX_CHECK(reserve_host_id(b));
  b.plan.isolation.user =
      b.as_root ? "reserved" : std::to_string(b.facts.euid) + ":" + std::to_string(b.facts.egid);
  SharedFiles files = SBX_TRY(shared_files(b));
  SBX_CHECK(plan_cgroups(b));
  plan_init(b);
  plan_payload(b, std::move(files));

  Isolation& isolation = b.plan.isolation;
  isolation.tier = "landlock";
  isolation.landlock_abi = b.facts.landlock_abi;
  for (const char* control : kMissing) {
    isolation.required.emplace_back(control);
    isolation.degraded.emplace_back(control);
  }
  if (writes_as_other(b)) isolation.degraded.emplace_back("idmap");
  for (const char* control : {"landlock", "no_new_privs", "capabilities", "seccomp"}) {
    isolation.required.emplace_back(control);
    isolation.enforced.emplace_back(control);
  }
  return {};
}

}  // namespace sbx::plan
