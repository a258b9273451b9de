// A child of ours that reads what a hostile program has made with a library of somebody else's: it
// keeps nothing that a mistake in there could be turned against.
#pragma once

#include <cstdint>
#include <optional>

#include "base/error.hpp"
#include "os/ids.hpp"

namespace sbx::os {

/// This process, forked from ours, becomes `ids` without other groups (none: stays who it is), and
/// from here on can read from and write to what is open, have some memory, and end. Every other
/// call is EPERM. It ends with who has made it, leaves no core, and nobody may trace it. What it
/// needs has to be open, and the rest closed.
SysResult<void> confine_reader(std::optional<Ids> ids, std::uint64_t memory) noexcept;

}  // namespace sbx::os
