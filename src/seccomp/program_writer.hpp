// Writes a BPF program back to front: BPF jumps only forward, so every target is already placed
// when a jump to it is made. Pure.
#pragma once

#include <linux/filter.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace sbx::seccomp {

/// Every jump names both its targets, so nothing falls from one piece of the program into another;
/// only load() and mask() go on to the instruction written just before them.
class ProgramWriter {
 public:
  /// A place in the program: how many instructions there are from it to the end.
  using Label = std::size_t;

  /// The place of the instruction written last.
  [[nodiscard]] Label here() const { return reversed_.size(); }

  /// A return of `value` that jumps reach; shared, because a return costs three times a comparison
  /// when the kernel translates the program. To be called between pieces, never inside one.
  Label returns(std::uint32_t value);

  /// Loads 32 bits of seccomp_data into the accumulator.
  void load(std::size_t offset) {
    put(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  }
  /// Cuts the accumulator down to `bits`.
  void mask(std::uint32_t bits) { put(BPF_ALU | BPF_AND | BPF_K, bits); }
  /// Compares the accumulator with `k`; `compare` is BPF_JEQ, BPF_JGE, BPF_JGT or BPF_JSET.
  void jump(unsigned compare, std::uint32_t k, Label yes, Label no);

  /// The program, front to back; the writer is empty afterwards.
  std::vector<sock_filter> finish();

 private:
  void put(unsigned code, std::uint32_t k, std::uint8_t yes = 0, std::uint8_t no = 0);
  /// `target`, or a new unconditional jump there when it is out of a comparison's reach.
  Label near(Label target);

  std::vector<sock_filter> reversed_;
  std::map<std::uint32_t, Label> returns_;
};

}  // namespace sbx::seccomp
