// Plan -> raw strings, arrays and BPF, all before clone.
#pragma once

#include <cstdint>
#include <span>

#include "base/error.hpp"
#include "launch/context.hpp"

namespace sbx::launch {

/// Points into `plan` and `secrets` (by Plan::secrets), which must outlive the result. Errors: an
/// unknown capability, an empty argv.
Result<Prepared> prepare(const plan::Plan& plan, std::span<const os::SecretMemory> secrets);

/// When somebody wants to hear of denied calls: the filters for it. `channel`: the number of the
/// descriptor over which the payload sends the listener.
void prepare_listening(const plan::Plan& plan, int channel, Filters& filters);

/// Calls that Learning::tight is not told of, and that each of its profiles allows.
std::span<const std::uint32_t> always_needed();

}  // namespace sbx::launch
