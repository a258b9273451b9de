// Plan -> raw strings, arrays and BPF, all before clone.
#pragma once

#include "base/error.hpp"
#include "launch/context.hpp"

namespace sbx::launch {

/// Points into `plan`, which must outlive the result. Errors: an unknown capability, an empty argv.
Result<Prepared> prepare(const plan::Plan& plan);

/// When somebody wants to hear of denied calls: the filters for it. `channel`: the number of the
/// descriptor over which the payload sends the listener.
void prepare_listening(const plan::Plan& plan, int channel, Filters& filters);

}  // namespace sbx::launch
