// What must hold of a decoded profile: small named checks, each about one thing. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "profile/node.hpp"
#include "profile/profile.hpp"

namespace sbx::profile {

/// What every check gets: the profile, and a way to complain about one of its keys.
class Checker {
 public:
  Checker(const Profile& profile, Findings& findings) : profile_(profile), findings_(findings) {}

  [[nodiscard]] const Profile& profile() const { return profile_; }
  /// Complains at the place of `key` ("limits.wall", "mounts[2]"), or of the nearest key above it.
  void complain(std::string_view key, std::string what, std::string hint = {}) const;
  void complain_at(const Origin& at, std::string what, std::string hint = {}) const;
  /// Who wrote `key`; nullptr for a default.
  [[nodiscard]] const Origin* origin(std::string_view key) const;
  /// False: its value was refused, and what stands in its place says nothing about other keys.
  [[nodiscard]] bool is_sound(std::string_view key) const;
  /// "key[i]" for the i-th entry of a list that has `defaults` unwritten entries in front.
  [[nodiscard]] static std::string item(std::string_view key, std::size_t index) {
    return std::string(key) + '[' + std::to_string(index) + ']';
  }

 private:
  const Profile& profile_;
  Findings& findings_;
};

struct Check {
  std::string_view name;
  void (*run)(const Checker&);
};

/// The lists of checks, by area.
std::span<const Check>
file_checks();  ///< mounts, workspace, root, mask, workdir, tools, devices, artifacts
std::span<const Check> secret_checks();  ///< secrets, and what is looked for in the output
std::span<const Check>
policy_checks();  ///< name, command, env, hostname, seccomp, capabilities, degrade
std::span<const Check> network_checks();  ///< rules, ports, the proxy
std::span<const Check> limit_checks();    ///< times, amounts, and how they go together

/// Runs them all.
void validate(const Profile& profile, Findings& findings);

/// Why `path` cannot be a place inside the sandbox; empty when it can.
std::string path_problem(std::string_view path);

/// Why nothing may be mounted at `target`; empty when something may.
std::string target_problem(std::string_view target);

/// "cap_chown" for "CHOWN", "cap_chown" ...; empty: there is none of that name.
std::string_view capability_named(std::string_view written);

/// "[A-Za-z_][A-Za-z0-9_]*".
bool is_env_name(std::string_view text);
}  // namespace sbx::profile
