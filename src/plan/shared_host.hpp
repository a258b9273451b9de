// Tier `landlock`: a run on a host that gives no namespaces, when the profile lets them degrade.
// The command sees the host's paths and processes; Landlock, the filter and a scope for signals
// keep it from using them.
#pragma once

#include <string>
#include <string_view>

#include "plan/builder.hpp"

namespace sbx::plan {

/// Of the names of private folders, in the caller's folder for temporary files.
inline constexpr std::string_view kScratchPrefix = ".sbx-run-";

/// The private folder of this run: HOME and TMPDIR.
std::string scratch_path(const Builder& builder);

/// All steps of such a run. Errors: what the profile asks for and only namespaces can give, by name
/// and place; a Landlock that is too old.
Result<void> plan_shared_host(Builder& builder);

/// What of the host's files the command may use, and how (shared_rules.cpp). `folder`: where it
/// starts.
struct SharedFiles {
  std::vector<LandlockRule> rules{};
  std::string folder{};
};
Result<SharedFiles> shared_files(Builder& builder);

}  // namespace sbx::plan
