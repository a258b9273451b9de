// The distances: a comparison reaches 255 instructions, an unconditional jump the whole program.
#include "seccomp/program_writer.hpp"

#include <algorithm>
#include <utility>

namespace sbx::seccomp {
namespace {

/// One less than a comparison reaches: placing the second target of a jump may move the first by
/// one.
constexpr std::size_t kReach = 254;
/// A shared return is repeated when it is this far away, so that whole pieces keep it in reach.
constexpr std::size_t kShareReach = 200;

}  // namespace

ProgramWriter::Label ProgramWriter::returns(std::uint32_t value) {
  const auto known = returns_.find(value);
  if (known != returns_.end() && here() - known->second <= kShareReach) return known->second;
  put(BPF_RET | BPF_K, value);
  returns_[value] = here();
  return here();
}

void ProgramWriter::jump(unsigned compare, std::uint32_t k, Label yes, Label no) {
  no = near(no);
  yes = near(yes);
  put(BPF_JMP | BPF_K | compare, k, static_cast<std::uint8_t>(here() - yes),
      static_cast<std::uint8_t>(here() - no));
}

std::vector<sock_filter> ProgramWriter::finish() {
  std::reverse(reversed_.begin(), reversed_.end());
  returns_.clear();
  return std::exchange(reversed_, {});
}

void ProgramWriter::put(unsigned code, std::uint32_t k, std::uint8_t yes, std::uint8_t no) {
  reversed_.push_back({static_cast<std::uint16_t>(code), yes, no, k});
}

ProgramWriter::Label ProgramWriter::near(Label target) {
  const std::size_t distance = here() - target;
  if (distance <= kReach) return target;
  put(BPF_JMP | BPF_JA, static_cast<std::uint32_t>(distance));
  return here();
}

}  // namespace sbx::seccomp
