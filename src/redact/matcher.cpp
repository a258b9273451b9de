#include "redact/matcher.hpp"

#include <algorithm>

#include "redact/patterns.hpp"
#include "redact/tables.hpp"

namespace sbx::redact {

Result<std::shared_ptr<const Matcher>> build_matcher(std::span<const Needle> needles,
                                                     std::span<const std::string> patterns) {
  const std::vector<Wanted> all = SBX_TRY(wanted(needles));
  const auto meant = SBX_TRY(meant_patterns(patterns));
  auto made = std::make_shared<Matcher>();
  for (const Needle& needle : needles) made->names.push_back(needle.name);
  made->automaton = SBX_TRY(Automaton::build(all));
  made->shortest = kMaxValue;
  for (const Wanted& one : all) made->shortest = std::min(made->shortest, one.bytes.size());
  made->text = text_beginnings(all);
  made->base64 = base64_beginnings(all, made->shortest);
  made->hex = hex_beginnings(all, made->shortest);
  made->plus = std::ranges::any_of(
      all, [](const Wanted& one) { return one.bytes.find(' ') != std::string::npos; });
  for (const std::string_view pattern : meant) {
    for (Shape shape : known_shapes()) {
      if (shape.pattern != pattern) continue;
      shape.owner = made->names.size();
      made->shapes[static_cast<unsigned char>(shape.prefix.front())].push_back(shape);
      made->shape_text.add(shape.prefix);
    }
    made->names.emplace_back(pattern);
  }
  made->has_shapes = !meant.empty();
  return made;
}

}  // namespace sbx::redact
