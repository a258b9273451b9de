// What the parts of the plan builder share: the plan in the making and small helpers.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/host_facts.hpp"
#include "plan/invocation.hpp"
#include "plan/plan.hpp"
#include "profile/profile.hpp"

namespace sbx::plan {

struct Builder {
  const profile::Profile& profile;
  const Invocation& invocation;
  const HostFacts& facts;
  Plan& plan;
  bool as_root = false;  ///< the supervisor is host root: a reserved id, idmapped binds
  std::uint32_t inner_uid = 0;
  std::uint32_t inner_gid = 0;
  /// Places below which the payload may write, for Landlock.
  std::vector<LandlockRule> writable{};

  /// Appends a step; `key` is the profile key behind it ("limits.memory"), which gives reason and
  /// origin; an empty key means that it is always there.
  void add(Phase phase, Action action, std::string reason, std::string_view key = {});

  [[nodiscard]] bool degrades(std::string_view control) const;
  /// The place of `key`, or of the nearest key above it that somebody wrote.
  [[nodiscard]] Origin origin_of(std::string_view key) const;
  /// "file:line:column" of `key`, or "the default".
  [[nodiscard]] std::string written_at(std::string_view key) const;
};

// Each contributes the steps of its own area, in the order build() calls them.
Result<void> plan_identity(
    Builder& builder);  ///< identity.cpp: ids, namespaces, host name, loopback
Result<void> plan_cgroups(Builder& builder);  ///< cgroups.cpp: groups and their settings
Result<void> plan_mounts(Builder& builder);   ///< mounts.cpp: the new root
Result<void> plan_devices(Builder& builder, class Tree& tree);  ///< devices.cpp: /dev, for mounts
Result<void> plan_privileges(Builder& builder);  ///< privileges.cpp: fork, payload and guard
Result<void> plan_command(Builder& builder);     ///< command.cpp: argv, env, search path, stdio

/// The text files that programs need in /etc, written fresh (etc_files.cpp).
struct EtcFile {
  std::string path;
  std::string content;
};
std::vector<EtcFile> etc_files(const Builder& builder);

/// Is `path` equal to `folder` or below it?
bool is_below(std::string_view path, std::string_view folder);

}  // namespace sbx::plan
