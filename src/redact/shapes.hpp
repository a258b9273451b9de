// How keys look that services hand out: what they begin with, and what follows. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace sbx::redact {

/// A set of bytes.
class ByteSet {
 public:
  constexpr explicit ByteSet(std::string_view bytes) {
    for (const char c : bytes) has_[static_cast<unsigned char>(c)] = true;
  }
  [[nodiscard]] constexpr bool has(char c) const { return has_[static_cast<unsigned char>(c)]; }

 private:
  std::array<bool, 256> has_{};
};

enum class ShapeKind {
  run,       ///< at least `min` bytes of `set` follow
  exact,     ///< exactly `min` bytes of `set` follow, and then no word byte
  assigned,  ///< a name: a sign or two, then as `exact`; the value alone is the key
  jwt,       ///< RFC 7519: a run, a dot, and a second one that begins like JSON
  pem,  ///< RFC 7468: the rest of a line that says PRIVATE KEY, and all up to the line that ends it
};

struct Shape {
  std::string_view pattern;  ///< the name in pattern_names()
  std::string_view prefix;   ///< of at least three bytes, after no word byte
  ShapeKind kind = ShapeKind::run;
  const ByteSet* set = nullptr;
  std::size_t min = 0;
  std::size_t owner = 0;  ///< set by the matcher
};

/// All that are known.
std::span<const Shape> known_shapes();

}  // namespace sbx::redact
