#include "redact/filter.hpp"

namespace sbx::redact {
namespace {

std::uint32_t first_three(const Wanted& wanted) {
  const auto byte = [&](std::size_t i) {
    return std::uint32_t{static_cast<unsigned char>(wanted.bytes[i])};
  };
  return (byte(0) << 16U) | (byte(1) << 8U) | byte(2);
}

}  // namespace

BitSet base64_beginnings(std::span<const Wanted> wanted) {
  BitSet set(18);
  for (const Wanted& one : wanted) {
    const std::uint32_t bits = first_three(one);
    set.add(bits >> 6U);
    for (std::uint32_t before = 0; before < 4; ++before) set.add((before << 16U) | (bits >> 8U));
    for (std::uint32_t before = 0; before < 16; ++before) set.add((before << 14U) | (bits >> 10U));
  }
  return set;
}

BitSet hex_beginnings(std::span<const Wanted> wanted) {
  BitSet set(16);
  for (const Wanted& one : wanted) set.add(first_three(one) >> 8U);
  return set;
}

TextFilter text_beginnings(std::span<const Wanted> wanted) {
  TextFilter filter;
  for (const Wanted& one : wanted) filter.add(one.bytes);
  return filter;
}

}  // namespace sbx::redact
