#include "redact/filter.hpp"

namespace sbx::redact {
namespace {

/// `count` bits from bit `at` on, the first of a byte being its highest; at most 25.
std::uint32_t bits_of(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint32_t four = 0;
  for (std::size_t i = at / 8; i < at / 8 + 4; ++i)
    four = (four << 8U) | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
  return (four << (at % 8)) >> (32 - count);
}

}  // namespace

BitSet base64_beginnings(std::span<const Wanted> wanted, std::size_t shortest) {
  constexpr std::size_t kBits = kBase64Bits * kBase64Window;
  BitSet set(kBits);
  for (const Wanted& one : wanted) {
    // So many bits of the first digit belong to the byte before, whatever that is.
    for (const std::size_t others : {0U, 2U, 4U}) {
      const std::uint32_t known = bits_of(one.bytes, 0, kBits - others);
      for (std::uint32_t before = 0; before < (1U << others); ++before)
        set.add((before << (kBits - others)) | known);
      for (std::size_t i = 1; i < stride_of(shortest, kBase64Bits, kBase64Window); ++i)
        set.add(bits_of(one.bytes, i * kBase64Bits - others, kBits));
    }
  }
  return set;
}

BitSet hex_beginnings(std::span<const Wanted> wanted, std::size_t shortest) {
  constexpr std::size_t kBits = kHexBits * kHexWindow;
  BitSet set(kBits);
  for (const Wanted& one : wanted)
    for (std::size_t i = 0; i < stride_of(shortest, kHexBits, kHexWindow); ++i)
      set.add(bits_of(one.bytes, i * kHexBits, kBits));
  return set;
}

TextFilter text_beginnings(std::span<const Wanted> wanted) {
  TextFilter filter;
  for (const Wanted& one : wanted) filter.add(one.bytes);
  return filter;
}

}  // namespace sbx::redact
