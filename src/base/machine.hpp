// The machines that sbx is for, and what a filter must know of them.
#pragma once

#include <linux/audit.h>

#include <cstdint>

namespace sbx {

enum class Machine { x86_64, arm64 };

#if defined(__x86_64__)
inline constexpr Machine kMachine = Machine::x86_64;
/// Of a call in seccomp_data, seccomp(2).
inline constexpr std::uint32_t kOwnArchitecture = AUDIT_ARCH_X86_64;
/// The 32-bit table beside it, which the kernel has on the same machine.
inline constexpr std::uint32_t kOtherArchitecture = AUDIT_ARCH_I386;
#elif defined(__aarch64__)
inline constexpr Machine kMachine = Machine::arm64;
inline constexpr std::uint32_t kOwnArchitecture = AUDIT_ARCH_AARCH64;
inline constexpr std::uint32_t kOtherArchitecture = AUDIT_ARCH_ARM;
#else
#error "sbx knows no system calls of this machine (src/seccomp/calls_table.cpp)"
#endif

}  // namespace sbx
