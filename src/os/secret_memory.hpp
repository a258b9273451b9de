// Memory for the value of one secret: shared with every process that is forked later, so that there
// is one copy and wiping it wipes it for all; in no core file, and never swapped where the caller
// may lock that much.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/error.hpp"

namespace sbx::os {

class SecretMemory {
 public:
  /// The longest value.
  static constexpr std::size_t kMost = std::size_t{64} << 10U;

  SecretMemory() = default;
  SecretMemory(SecretMemory&& other) noexcept;
  SecretMemory& operator=(SecretMemory&& other) noexcept;
  SecretMemory(const SecretMemory&) = delete;
  SecretMemory& operator=(const SecretMemory&) = delete;
  ~SecretMemory();

  /// Empty memory for a value of up to kMost bytes that is to be in the environment as `variable`;
  /// empty: it is not.
  static SysResult<SecretMemory> make(std::string_view variable);

  /// Where the rest of the value may be put: one byte more than kMost, to see that it is too long.
  [[nodiscard]] std::span<char> room() noexcept;
  void add(std::size_t size) noexcept { size_ += size; }
  /// Takes one newline off its end.
  void strip_newline() noexcept;

  [[nodiscard]] std::string_view value() const noexcept { return {text_, size_}; }
  [[nodiscard]] bool too_long() const noexcept { return size_ > kMost; }
  /// "VARIABLE=value", for execve(2).
  [[nodiscard]] char* entry() const noexcept { return memory_; }

  void wipe() noexcept;

 private:
  char* memory_ = nullptr;
  std::size_t mapped_ = 0;
  char* text_ = nullptr;  ///< behind "VARIABLE="
  std::size_t size_ = 0;
};

}  // namespace sbx::os
