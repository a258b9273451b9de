// The result's `timing`. Pure.
#pragma once

#include "supervise/json_figures.hpp"
#include "supervise/timing.hpp"

namespace sbx::supervise {

/// Microseconds, with nanoseconds as their decimals; null when nobody asked for it.
Json timing_json(const std::optional<Timing>& timing);

}  // namespace sbx::supervise
