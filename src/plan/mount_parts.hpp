// How a folder of the caller's gets into the new root: the workspace, what the profile binds, and
// the git folder that a workspace leads to.
#pragma once

#include <string>
#include <string_view>

#include "plan/builder.hpp"
#include "plan/tree.hpp"

namespace sbx::plan {

/// Shows a tree of the caller's at `target`: started by root through a detached, idmapped clone
/// that the supervisor makes while it still may; else bound by init itself.
Result<void> add_bind(Builder& b, Tree& tree, const SourceFacts& source, const std::string& target,
                      const MountFlags& flags, bool idmap, std::string_view reason,
                      std::string_view key);

/// What of the host `entries` name, read-only, but for what is shown already.
Result<void> add_trees(Builder& b, Tree& tree, const std::vector<RootEntry>& entries,
                       const std::string& reason, const std::string& key);

/// The facts of an entry of the host's, for add_bind().
SourceFacts source_of(const RootEntry& entry);

/// A copy of the host's file or folder, in a tmpfs.
Result<void> plan_copy(Builder& b, Tree& tree, const profile::CopyMount& mount,
                       const std::string& key);

/// Shows it at `at`, with changes going to memory; `staging` is a folder of this overlay's own.
/// `keep`: they outlive the run.
Result<void> add_overlay(Builder& b, Tree& tree, const SourceFacts& source,
                         const std::string& staging, const std::string& at, bool keep,
                         std::string_view reason);

// workspace.git: protect (git.cpp).
/// The git folder that the workspace at `workspace` leads to, where it lies outside.
Result<void> show_git(Builder& b, Tree& tree, const SourceFacts& workspace);
/// Keeps what git obeys from being changed; after everything else that is mounted.
Result<void> protect_git(Builder& b, Tree& tree);
/// The folders in which nothing is to be made, once everything in them is held.
void seal_git(Builder& b);

}  // namespace sbx::plan
