// Plan -> raw strings, arrays and BPF, all before clone.
#pragma once

#include "base/error.hpp"
#include "launch/context.hpp"

namespace sbx::launch {

/// Points into `plan`, which must outlive the result. Errors: an unknown capability, an empty argv.
Result<Prepared> prepare(const plan::Plan& plan);

}  // namespace sbx::launch
