// How each part of decide() (supervise/outcome.hpp) writes what it has decided: the exit codes that
// are sbx's own, and the words that more than one of them uses. Pure.
#pragma once

#include <string>

#include "supervise/outcome.hpp"

namespace sbx::supervise {

inline constexpr int kTimeLimit = 124;
inline constexpr int kNotRun = 125;
inline constexpr int kNotExecutable = 126;
inline constexpr int kNotFound = 127;
inline constexpr int kSignalBase = 128;

void set(Outcome& outcome, Status status, int process_exit, Reason reason);

/// "SIGTERM"; of one without a name "signal 42".
std::string signal_name(int signal);

/// "1.234s"
std::string seconds(double ms);

/// The processor time that was used, as a reason's `observed`; empty: not known.
std::string cpu_observed(const Usage& usage);

}  // namespace sbx::supervise
