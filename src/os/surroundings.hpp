// Gathers what stands around sbx. Not on the start-up path: it reads a dozen files and makes
// children.
#pragma once

#include "base/surroundings.hpp"

namespace sbx::os {

/// Never fails: what cannot be read stays empty. Runs in the supervisor or the doctor, before any
/// filter of ours. Some milliseconds.
Surroundings look_around();

}  // namespace sbx::os
