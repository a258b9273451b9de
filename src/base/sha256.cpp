// The portable compression function, the incremental wrapper, and the choice between the two paths.
#include "base/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/sha256_table.hpp"

namespace sbx {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::size_t kDigits = 64;

constexpr std::array<std::uint32_t, 8> kInitial{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

std::uint32_t load_big_endian(const unsigned char* bytes) {
  return (std::uint32_t{bytes[0]} << 24U) | (std::uint32_t{bytes[1]} << 16U) |
         (std::uint32_t{bytes[2]} << 8U) | std::uint32_t{bytes[3]};
}

void expand_schedule(std::array<std::uint32_t, 64>& w, const unsigned char* block) {
  for (std::size_t i = 0; i < 16; ++i) w[i] = load_big_endian(block + 4 * i);
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3U);
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10U);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
}

void compress(std::uint32_t* state, const unsigned char* block) {
  std::array<std::uint32_t, 64> w;
  expand_schedule(w, block);
  std::uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  std::uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + detail::kSha256Round[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> add{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < add.size(); ++i) state[i] += add[i];
}

/// `total`: bytes of the whole text so far. To ask the CPU is four CPUID, each of which leaves a
/// virtual machine, for 13 us where that is itself in one: as much as the portable code needs for
/// 8K. What every start digests is less.
void digest_blocks(std::uint32_t* state, const unsigned char* data, std::size_t blocks,
                   std::uint64_t total) {
  constexpr std::uint64_t kWorthAsking = 64UL * 1024;
  if (total < kWorthAsking) return detail::sha256_blocks_portable(state, data, blocks);
  static const detail::Sha256Blocks fast = detail::sha256_blocks_accelerated();
  (fast != nullptr ? fast : &detail::sha256_blocks_portable)(state, data, blocks);
}

}  // namespace

void detail::sha256_blocks_portable(std::uint32_t* state, const unsigned char* data,
                                    std::size_t blocks) {
  for (; blocks > 0; --blocks, data += 64) compress(state, data);
}

Sha256::Sha256() : state_(kInitial) {}

void Sha256::put(std::string_view bytes) {
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t left = bytes.size();
  total_ += left;
  if (pending_size_ > 0) {
    const std::size_t take = std::min(left, kBlock - pending_size_);
    std::copy_n(data, take, pending_.data() + pending_size_);
    pending_size_ += take;
    data += take;
    left -= take;
    if (pending_size_ < kBlock) return;
    digest_blocks(state_.data(), pending_.data(), 1, total_);
    pending_size_ = 0;
  }
  digest_blocks(state_.data(), data, left / kBlock, total_);
  data += left - left % kBlock;
  pending_size_ = left % kBlock;
  std::copy_n(data, pending_size_, pending_.data());
}

std::string Sha256::hex() const {
  std::array<std::uint32_t, 8> state = state_;
  // The tail: 0x80, zeros, and the length in bits as 64 bits big-endian; one block or two.
  std::array<unsigned char, 2 * kBlock> tail{};
  std::copy_n(pending_.data(), pending_size_, tail.data());
  tail[pending_size_] = 0x80;
  const std::size_t size = pending_size_ + 9 <= kBlock ? kBlock : 2 * kBlock;
  for (unsigned i = 0; i < 8; ++i) {
    tail[size - 1 - i] = static_cast<unsigned char>((total_ * 8) >> (8 * i));
  }
  digest_blocks(state.data(), tail.data(), size / kBlock, total_);
  std::string out;
  out.reserve(kDigits);
  for (const std::uint32_t word : state) {
    for (unsigned shift = 32; shift > 0; shift -= 4) out += kHex[(word >> (shift - 4)) & 0xfU];
  }
  return out;
}

bool is_sha256_hex(std::string_view text) {
  return text.size() == kDigits && text.find_first_not_of(kHex) == std::string_view::npos;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.put(bytes);
  return hash.hex();
}

}  // namespace sbx
