// The profile that `sbx learn` writes: what a run lacked, on top of the profile that it ran under.
// Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "learn/missing_files.hpp"
#include "plan/plan.hpp"
#include "profile/profile.hpp"
#include "supervise/observations.hpp"

namespace sbx::learn {

struct Lesson {
  const profile::Profile& profile;
  const plan::Plan& plan;
  const supervise::Observations& seen;
  std::vector<std::string> command;   ///< what ran, without secrets
  std::string base;                   ///< what the new profile extends: a name, or an absolute path
  bool succeeded = false;             ///< the command ended with 0
  std::vector<std::string> denied{};  ///< calls that did not go through, and what could be done
  std::string ended;                  ///< how it ended, for the head: "exit code 2"
};

struct Learned {
  std::string text;         ///< the profile, with comments
  std::size_t entries = 0;  ///< what is allowed in it beyond the base
};

/// A denied call that was let through stands in it in any case. A file that was missing does when
/// the command failed, and as a remark when it got on without, or when not everybody on the host
/// may read it. `always`: numbers of calls that a tight profile needs in any case.
Learned learned_profile(const Lesson& lesson, std::span<const std::uint32_t> always,
                        const LookAtHost& look);

}  // namespace sbx::learn
