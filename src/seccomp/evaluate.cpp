// Knows the instructions that filters consist of (ours and libseccomp's), no more.
#include "seccomp/evaluate.hpp"

#include <cstring>

namespace sbx::seccomp {
namespace {

bool compare(unsigned operation, std::uint32_t accumulator, std::uint32_t k) {
  switch (operation) {
    case BPF_JEQ:
      return accumulator == k;
    case BPF_JGT:
      return accumulator > k;
    case BPF_JGE:
      return accumulator >= k;
    default:
      return (accumulator & k) != 0;  // BPF_JSET: evaluate() lets no other through
  }
}

}  // namespace

std::optional<std::uint32_t> evaluate(std::span<const sock_filter> program,
                                      const seccomp_data& data) {
  std::uint32_t accumulator = 0;
  for (std::size_t at = 0; at < program.size(); ++at) {
    const sock_filter& instruction = program[at];
    switch (instruction.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        if (instruction.k > sizeof data - sizeof accumulator || instruction.k % 4 != 0) return {};
        std::memcpy(&accumulator, reinterpret_cast<const char*>(&data) + instruction.k,
                    sizeof accumulator);
        break;
      case BPF_ALU | BPF_AND | BPF_K:
        accumulator &= instruction.k;
        break;
      case BPF_JMP | BPF_JA:
        at += instruction.k;
        break;
      case BPF_JMP | BPF_JEQ | BPF_K:
      case BPF_JMP | BPF_JGT | BPF_K:
      case BPF_JMP | BPF_JGE | BPF_K:
      case BPF_JMP | BPF_JSET | BPF_K:
        at += compare(BPF_OP(instruction.code), accumulator, instruction.k) ? instruction.jt
                                                                            : instruction.jf;
        break;
      case BPF_RET | BPF_K:
        return instruction.k;
      default:
        return {};
    }
  }
  return {};
}

}  // namespace sbx::seccomp
