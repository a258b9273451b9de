// SHA-256 (FIPS 180-4) of bytes that come in pieces. Pure; the CPU's SHA instructions are used
// where they exist, because the supervisor hashes every byte that a metered run prints.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sbx {

class Sha256 {
 public:
  Sha256();

  /// Adds bytes; may be called any number of times.
  void put(std::string_view bytes);

  /// The digest of everything put so far, 64 hex digits. More may be put afterwards.
  [[nodiscard]] std::string hex() const;

 private:
  static constexpr std::size_t kBlock = 64;

  std::array<std::uint32_t, 8> state_;
  std::array<unsigned char, kBlock> pending_{};
  std::size_t pending_size_ = 0;
  std::uint64_t total_ = 0;
};

/// The digest of one text.
std::string sha256_hex(std::string_view bytes);

/// Is `text` a digest as hex() writes one: 64 hex digits, the letters lower case?
bool is_sha256_hex(std::string_view text);

namespace detail {
/// Both ways to digest whole blocks, named so that tests can compare them.
void sha256_blocks_portable(std::uint32_t* state, const unsigned char* data, std::size_t blocks);
/// nullptr when this CPU or architecture has no SHA instructions.
using Sha256Blocks = void (*)(std::uint32_t*, const unsigned char*, std::size_t);
Sha256Blocks sha256_blocks_accelerated();
}  // namespace detail

}  // namespace sbx
