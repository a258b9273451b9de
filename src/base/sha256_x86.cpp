// SHA-256 with the SHA instructions of x86 CPUs, chosen at run time; other machines get nullptr.
#include "base/sha256.hpp"
#include "base/sha256_table.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace sbx::detail {

#if defined(__x86_64__)
namespace {

#define SBX_SHA_TARGET __attribute__((target("sha,sse4.1,ssse3")))

/// Four rounds with the message words `w` (words 4*group .. 4*group+3 of the schedule).
SBX_SHA_TARGET inline void four_rounds(__m128i& abef, __m128i& cdgh, __m128i w, std::size_t group) {
  const __m128i constants =
      _mm_load_si128(reinterpret_cast<const __m128i*>(kSha256Round.data() + 4 * group));
  const __m128i sum = _mm_add_epi32(w, constants);
  cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
  abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
}

/// The next four words of the schedule from the sixteen before them.
SBX_SHA_TARGET inline __m128i next_words(__m128i w0, __m128i w1, __m128i w2, __m128i w3) {
  const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), _mm_alignr_epi8(w3, w2, 4));
  return _mm_sha256msg2_epu32(sum, w3);
}

SBX_SHA_TARGET void digest_blocks(std::uint32_t* state, const unsigned char* data,
                                  std::size_t blocks) {
  // The instructions want the state as ABEF and CDGH, most significant word first.
  const __m128i abcd = _mm_loadu_si128(reinterpret_cast<const __m128i*>(state));
  const __m128i efgh = _mm_loadu_si128(reinterpret_cast<const __m128i*>(state + 4));
  const __m128i badc = _mm_shuffle_epi32(abcd, 0xb1);
  const __m128i hgfe = _mm_shuffle_epi32(efgh, 0x1b);
  __m128i abef = _mm_alignr_epi8(badc, hgfe, 8);
  __m128i cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  for (; blocks > 0; --blocks, data += 64) {
    const __m128i abef_before = abef;
    const __m128i cdgh_before = cdgh;
    __m128i w[4];
    for (std::size_t i = 0; i < 4; ++i) {
      const auto* words = reinterpret_cast<const __m128i*>(data + 16 * i);
      w[i] = _mm_shuffle_epi8(_mm_loadu_si128(words), swap);
      four_rounds(abef, cdgh, w[i], i);
    }
    for (std::size_t group = 4; group < 16; ++group) {
      const __m128i next = next_words(w[0], w[1], w[2], w[3]);
      w[0] = w[1];
      w[1] = w[2];
      w[2] = w[3];
      w[3] = next;
      four_rounds(abef, cdgh, next, group);
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state), _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

bool has_sha_instructions() {
  constexpr unsigned kNeeded = bit_SSSE3 | bit_SSE4_1;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kNeeded) != kNeeded) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0;
}

}  // namespace

Sha256Blocks sha256_blocks_accelerated() {
  return has_sha_instructions() ? &digest_blocks : nullptr;
}
#else
Sha256Blocks sha256_blocks_accelerated() { return nullptr; }
#endif

}  // namespace sbx::detail
