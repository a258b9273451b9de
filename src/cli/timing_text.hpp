// The table that `sbx run --timing` prints. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "supervise/timing.hpp"

namespace sbx::cli {

/// A headline, a line for each row, and a sum; lines cut after `width` characters (0: never).
std::string timing_text(const supervise::Timing& timing, std::string_view run_id,
                        std::size_t width);

}  // namespace sbx::cli
