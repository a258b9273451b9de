// `mask`: what is hidden from the command.
#pragma once

#include "plan/builder.hpp"
#include "plan/tree.hpp"

namespace sbx::plan {

/// The steps for all masks, after everything that shows something. A tool that lies in a folder of
/// the profile's shows by its own name on the host, too: what a mask hides is hidden there as well.
/// Errors: a pattern that cannot be said for that name.
Result<void> plan_masks(Builder& b, Tree& tree);

}  // namespace sbx::plan
