// The part of the plan that is about secrets: their files in the new root, their variables.
#pragma once

#include "plan/builder.hpp"
#include "plan/tree.hpp"

namespace sbx::plan {

/// Fills Plan::secrets; warns of what would keep their values.
void note_secrets(Builder& builder);
/// The steps that write their files: after the profile's own mounts.
Result<void> plan_secrets(Builder& builder, Tree& tree);
/// Makes what plan_secrets() has mounted read-only: after the masks.
void seal_secrets(Builder& builder);

}  // namespace sbx::plan
