// BPF for the argument rules of one system call. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "seccomp/policy.hpp"
#include "seccomp/program_writer.hpp"

namespace sbx::seccomp {

/// The value that a filter returns for an action (SECCOMP_RET_*).
std::uint32_t return_value(const Action& action);

/// Writes what decides by `rules` (all of one call, first match), else by `otherwise`, and returns
/// where it starts. Nothing is assumed about the accumulator.
ProgramWriter::Label write_rules(ProgramWriter& out, std::span<const Rule* const> rules,
                                 const Action& otherwise);

}  // namespace sbx::seccomp
