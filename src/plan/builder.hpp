// What the parts of the plan builder share: the plan in the making and small helpers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/host_facts.hpp"
#include "base/lexical_path.hpp"
#include "plan/invocation.hpp"
#include "plan/plan.hpp"
#include "profile/profile.hpp"

namespace sbx::plan {

/// The place of `key` ("mounts[2].bind"), or of the nearest key above it that somebody wrote; an
/// empty file when nobody wrote any.
Origin origin_of(const profile::Profile& profile, std::string_view key);

struct Builder {
  const profile::Profile& profile;
  const Invocation& invocation;
  const HostFacts& facts;
  Plan& plan;
  bool as_root = false;      ///< the supervisor is host root: a reserved id, idmapped binds
  bool shares_host = false;  ///< tier landlock: no namespaces (shared_host.hpp)
  std::uint32_t inner_uid = 0;
  std::uint32_t inner_gid = 0;
  /// Places below which the payload may write, for Landlock.
  std::vector<LandlockRule> writable{};
  /// Where the host's processes would be seen, or steered (processes.hpp), and how.
  std::vector<std::pair<std::string, std::string_view>> processes{};
  /// workspace.git: protect, once it is planned: the workspace on the host, and where inside the
  /// git folder is that lies elsewhere.
  std::string git_top{};
  std::string git_folder{};
  std::string known_key{};  ///< what append() had last: steps in a row are often of one key
  Origin known_writer{};

  /// Appends a step; `key` is the profile key behind it ("limits.memory"), which gives reason and
  /// origin; an empty key means that it is always there.
  template <class Kind>
  void add(Phase phase, Kind&& action, std::string_view reason, std::string_view key = {}) {
    append(phase, reason, key)
        .action.emplace<std::remove_cvref_t<Kind>>(std::forward<Kind>(action));
  }

  /// `root` is somebody's whole file system: a folder or an image.
  [[nodiscard]] bool has_own_root() const {
    return profile.root.kind == profile::RootKind::dir ||
           profile.root.kind == profile::RootKind::oci;
  }
  [[nodiscard]] bool degrades(std::string_view control) const;
  /// Of ours that count among the payload's: init, and without a pid namespace the keeper.
  [[nodiscard]] std::uint64_t own_processes() const { return shares_host ? 2 : 1; }
  [[nodiscard]] Origin origin_of(std::string_view key) const {
    return plan::origin_of(profile, key);
  }
  /// The same, but nobody where only others of the key above were written: the default holds.
  [[nodiscard]] Origin writer_of(std::string_view key) const;
  /// A step whose action is still to be set: by add(), which so has no vector's growth in it for
  /// each kind.
  Step& append(Phase phase, std::string_view reason, std::string_view key);
  /// "file:line:column" of `key`, or "the default".
  [[nodiscard]] std::string written_at(std::string_view key) const;
  /// Somebody counts on the value; of a built-in profile nobody chose it.
  [[nodiscard]] bool is_chosen(const std::string& key) const {
    const auto written = profile.origins.find(key);
    return written != profile.origins.end() && !written->second.file.starts_with('<');
  }
};

// Each contributes the steps of its own area, in the order build() calls them.
Result<void> plan_identity(Builder& builder);    ///< identity.cpp: which ids, and the namespaces
Result<void> reserve_host_id(Builder& builder);  ///< identity.cpp: started by root
Result<void> plan_egress(Builder& builder);      ///< egress.cpp: what a filtered network reaches
Result<void> plan_cgroups(Builder& builder);     ///< cgroups.cpp: groups and their settings
void plan_joining(Builder& builder);  ///< cgroups.cpp: how the payload gets into v1 groups
/// identity.cpp: who runs the tree is no more protected from the OOM killer than others.
void plan_oom_score(Builder& builder, Phase phase);
void warn_of_grants(Builder& builder);  ///< grants.cpp: what the profile gives away
void plan_ids(Builder& builder);        ///< identity.cpp: how init and payload get them
void plan_fork(Builder& builder);       ///< fork.cpp: the payload's start, and its network
/// fork.cpp: what init does not wait for, once the payload has given back the root.
Result<void> plan_meanwhile(Builder& builder);
/// gateway.cpp: network.allow; nothing without it. An error where it cannot be had.
Result<void> plan_gateway(Builder& builder);
Result<void> plan_mounts(Builder& builder);  ///< mounts.cpp: the new root
/// "devices[0]", where the profile names message queues; empty: it does not.
std::string queues_key(const Builder& builder);
Result<void> plan_devices(Builder& builder, class Tree& tree);  ///< devices.cpp: /dev, for mounts
Result<void> plan_privileges(Builder& builder);  ///< privileges.cpp: release, payload and guard
Result<void> plan_command(Builder& builder);     ///< command.cpp: argv, env, search path, stdio

// Parts of plan_privileges() that every tier has.
void plan_stdio(Builder& builder);    ///< session, descriptors 0 to 2
void plan_rlimits(Builder& builder);  ///< rlimits.cpp: what each process may have
/// May the command leave core files? (rlimits.cpp)
bool leaves_cores(const profile::Profile& profile);
void plan_start(Builder& builder);  ///< the last three: descriptors, filter, exec

// What of the caller's files a profile means (mounts.cpp).
/// Is the tool there? An error when it must be and is not.
Result<bool> tool_is_there(const Builder& builder, std::size_t index);
Result<SourceFacts> workspace_source(const Builder& builder);
/// Home, what is above it, "/", and in tier `landlock` where private folders are: shown only when
/// somebody names them.
bool is_too_much(const Builder& builder, const std::string& path);
/// What `mount` shows; nullptr: it is not there.
const SourceFacts* facts_of(const Builder& builder, const profile::BindMount& mount);
/// The workspace's folder; nullptr: none is shown.
const SourceFacts* shown_workspace(const Builder& builder);
/// Is the workspace such a folder, and not named? Warns.
bool leaves_workspace_out(Builder& builder, const SourceFacts& source);
/// Warns of `--rw out`, which is where it is on the host, and not in the workspace that shows it
/// read-only or as a copy. Who writes an absolute path knows where that is.
void warn_of_place(Builder& builder, const profile::BindMount& mount, const SourceFacts& source,
                   const std::string& key);
/// Nothing: it is optional and not there.
Result<std::optional<SourceFacts>> bind_source(const Builder& builder,
                                               const profile::BindMount& mount,
                                               const std::string& key);

/// The text files that programs need in /etc, written fresh (etc_files.cpp).
struct EtcFile {
  std::string path;
  std::string content;
};
std::vector<EtcFile> etc_files(const Builder& builder);
/// Of a root of the user's own: its passwd and group, with a line for the command's user where they
/// have none. Programs ask for its name (getpwuid(3)), and some do not run without.
std::vector<EtcFile> missing_accounts(const Builder& builder);

}  // namespace sbx::plan
