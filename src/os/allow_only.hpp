// The filter of a child of ours that needs few system calls, which are known when sbx is built.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/machine.hpp"

namespace sbx::os {

/// Lets `calls` through and answers every other one with `denied` (SECCOMP_RET_..., seccomp(2)). A
/// call of another architecture ends the process.
template <std::size_t N>
constexpr std::array<::sock_filter, N + 6> allow_only(const std::array<int, N>& calls,
                                                      std::uint32_t denied) {
  static_assert(N < 256, "a jump goes over 255 instructions at the most");
  const auto load = [](std::size_t offset) -> ::sock_filter {
    return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  };
  const auto answer = [](std::uint32_t action) -> ::sock_filter {
    return BPF_STMT(BPF_RET | BPF_K, action);
  };
  std::array<::sock_filter, N + 6> program{};
  std::size_t at = 0;
  program[at++] = load(offsetof(::seccomp_data, arch));
  program[at++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kOwnArchitecture, 1, 0);
  program[at++] = answer(SECCOMP_RET_KILL_PROCESS);
  program[at++] = load(offsetof(::seccomp_data, nr));
  for (std::size_t i = 0; i < N; ++i)
    program[at++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(calls[i]),
                             static_cast<std::uint8_t>(N - i), 0);
  program[at++] = answer(denied);
  program[at++] = answer(SECCOMP_RET_ALLOW);
  return program;
}

}  // namespace sbx::os
