// Whether a text has a key of some shape at a place. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "redact/shapes.hpp"

namespace sbx::redact {

enum class Verdict {
  no,
  more,  ///< it depends on what follows
  yes,
};

struct Judged {
  Verdict verdict = Verdict::no;
  std::size_t start = 0;  ///< of what must not be seen
  std::size_t end = 0;    ///< as far as is certain
  bool open = false;      ///< it may be longer than that
  std::size_t known = 0;  ///< of a jwt: how far its first part was looked through
};

/// `last`: nothing follows the text. `known`: what came back for a place before `from`, or 0, so
/// that no byte is looked at once for each of many places where a key may begin.
Judged judge(const Shape& shape, std::string_view text, std::size_t from, std::size_t known,
             bool last);

/// May a key begin here, after what stands before? Not within a word; an escape ("\n", "%3D") or a
/// terminal's colour ("\x1b[1m") is none.
bool at_word_start(std::string_view text, std::size_t from);

/// Where a key ends that was open at `from`.
struct Ending {
  std::size_t at = 0;   ///< all before it belongs to the key
  bool found = false;   ///< else more must be seen, from `at` on
  bool certain = true;  ///< false: what follows `at` may belong to it or not
};
Ending ending(const Shape& shape, std::string_view text, std::size_t from, bool last);

}  // namespace sbx::redact
