// A BPF machine in user space: what a filter answers, without a kernel. Pure.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cstdint>
#include <optional>
#include <span>

namespace sbx::seccomp {

/// What the program returns for a call (SECCOMP_RET_*); nullopt when it is malformed: an
/// instruction that this machine does not know, a load outside of `data`, or a jump or step past
/// the end.
std::optional<std::uint32_t> evaluate(std::span<const sock_filter> program,
                                      const seccomp_data& data);

}  // namespace sbx::seccomp
