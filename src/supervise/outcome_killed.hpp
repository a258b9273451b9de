// Ends that we brought about, a part of decide() (supervise/outcome.hpp). Pure.
#pragma once

#include "supervise/outcome.hpp"

namespace sbx::supervise {

/// The run was ended by us. False: it was not, after all.
bool decide_killed(const Evidence& evidence, const plan::Plan& plan, Outcome& outcome);

}  // namespace sbx::supervise
