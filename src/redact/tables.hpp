// What a matcher is made of. For the files of this library alone.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "redact/automaton.hpp"
#include "redact/filter.hpp"
#include "redact/matcher.hpp"
#include "redact/shapes.hpp"

namespace sbx::redact {

struct Matcher {
  std::vector<std::string> names;  ///< by owner: of the needles, then of the patterns
  Automaton automaton{};
  std::size_t shortest = 0;  ///< of what is looked for, in bytes
  TextFilter text{};
  BitSet base64{18};
  BitSet hex{16};
  bool plus = false;  ///< some secret has a space, which forms write as '+'
  bool has_shapes = false;
  std::array<std::vector<Shape>, 256> shapes{};  ///< by the first byte of the prefix
  TextFilter shape_text{};

  [[nodiscard]] bool has_needles() const { return automaton.longest() != 0; }
};

}  // namespace sbx::redact
