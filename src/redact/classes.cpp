#include "redact/classes.hpp"

#include <algorithm>
#include <bit>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace sbx::redact {
namespace {

struct Words {
  std::uint64_t base64 = 0;
  std::uint64_t hex = 0;
};

#ifdef __SSE2__

/// Bytes from `first` to `last`.
__m128i within(__m128i bytes, char first, char last) {
  const auto shift = static_cast<char>(-128 - first);
  const auto above = static_cast<char>(-128 + (last - first) + 1);
  return _mm_cmplt_epi8(_mm_add_epi8(bytes, _mm_set1_epi8(shift)), _mm_set1_epi8(above));
}

__m128i is(__m128i bytes, char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); }

/// Of the first 64 bytes.
Words classify_word(std::string_view text) {
  Words words;
  for (std::size_t i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + 16 * i));
    const __m128i lower = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
    const __m128i line_ends = _mm_or_si128(is(bytes, '\n'), is(bytes, '\r'));
    const __m128i dash = is(bytes, '-');
    __m128i base64 = _mm_or_si128(within(lower, 'a', 'z'), within(bytes, '/', '9'));
    base64 = _mm_or_si128(base64, _mm_or_si128(is(bytes, '+'), is(bytes, '_')));
    base64 = _mm_or_si128(base64, _mm_or_si128(dash, line_ends));
    __m128i hex = _mm_or_si128(within(lower, 'a', 'f'), within(bytes, '0', ':'));
    hex = _mm_or_si128(hex, _mm_or_si128(is(bytes, ' '), _mm_or_si128(dash, line_ends)));
    const auto bits = [](__m128i set) {
      return std::uint64_t{static_cast<std::uint16_t>(_mm_movemask_epi8(set))};
    };
    words.base64 |= bits(base64) << (16 * i);
    words.hex |= bits(hex) << (16 * i);
  }
  return words;
}

#else

Words classify_word(std::string_view text) {
  constexpr std::string_view kBase64Other = "+/-_\r\n";
  constexpr std::string_view kHexOther = " :-\r\n";
  Words words;
  for (unsigned i = 0; i < 64; ++i) {
    const char c = text[i];
    const auto lower = static_cast<char>(c | 0x20);
    const bool number = c >= '0' && c <= '9';
    const bool base64 =
        number || (lower >= 'a' && lower <= 'z') || kBase64Other.find(c) != std::string_view::npos;
    const bool hex =
        number || (lower >= 'a' && lower <= 'f') || kHexOther.find(c) != std::string_view::npos;
    words.base64 |= std::uint64_t{base64} << i;
    words.hex |= std::uint64_t{hex} << i;
  }
  return words;
}

#endif

/// Bit i of the lower word: so do `length` - 1 bits above it. `length` is at most 64.
std::uint64_t runs_of(std::uint64_t low, std::uint64_t high, std::size_t length) {
  for (std::size_t known = 1; known < length;) {
    const std::size_t more = std::min(known, length - known);
    low &= (low >> more) | (high << (64 - more));
    high &= high >> more;  // what is above it is not known, and not needed
    known += more;
  }
  return low;
}

}  // namespace

void classify(std::string_view bytes, Classes& classes) {
  std::size_t word = 0;
  for (; bytes.size() >= 64; bytes.remove_prefix(64), ++word) {
    const Words words = classify_word(bytes);
    classes.base64[word] = words.base64;
    classes.hex[word] = words.hex;
  }
  std::array<char, 64> rest{};
  std::ranges::copy(bytes, rest.begin());
  const Words words = classify_word({rest.data(), rest.size()});
  const std::uint64_t beyond = ~std::uint64_t{0} << bytes.size();
  classes.base64[word] = words.base64 | beyond;
  classes.hex[word] = words.hex | beyond;
}

std::size_t find_run(const ByteMap& map, std::size_t from, std::size_t end, std::size_t length) {
  std::uint64_t wanted = ~std::uint64_t{0} << (from % 64);
  for (std::size_t word = from / 64; word * 64 < end; ++word) {
    const bool last = (word + 1) * 64 > end;
    const std::uint64_t next = last ? ~std::uint64_t{0} : map[word + 1];
    const std::uint64_t runs = runs_of(map[word], next, length) & wanted;
    if (runs != 0)
      return std::min(end, word * 64 + static_cast<std::size_t>(std::countr_zero(runs)));
    wanted = ~std::uint64_t{0};
  }
  return end;
}

}  // namespace sbx::redact
