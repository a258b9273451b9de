#include "redact/shape_lane.hpp"

#include <algorithm>

#include "redact/shape_judge.hpp"

namespace sbx::redact {
namespace {

/// A private key has no more; a text that only mentions one is not blotted out to its end.
constexpr std::uint64_t kMaxPem = 32U << 10U;

/// Inside of a longer run of the same bytes, or of dashes, no key begins.
bool may_begin(const Shape& shape, std::string_view text, std::size_t from) {
  if (shape.kind == ShapeKind::assigned || from == 0) return true;
  if (shape.kind == ShapeKind::pem) return text[from - 1] != '-';
  if (shape.kind == ShapeKind::exact && text[from - 1] == '-' && shape.set->has('-')) return false;
  return at_word_start(text, from);
}

}  // namespace

void ShapeLane::scan(const Piece& kept, bool last, Matches& matches) {
  waiting_ = false;
  const std::uint64_t end = kept.at + kept.bytes.size();
  while (at_ < end && !waiting_) {
    if (inside_ != nullptr)
      go_on(kept, last, matches);
    else
      look(kept, last, matches);
  }
}

void ShapeLane::look(const Piece& kept, bool last, Matches& matches) {
  const std::string_view text = kept.bytes;
  for (std::size_t i = at_ - kept.at; i < text.size(); ++i) {
    while (i + TextFilter::kReads <= text.size() && !matcher_.shape_text.may_begin(text.data() + i))
      ++i;
    at_ = kept.at + i;
    if (try_shapes(kept, i, last, matches)) return;
  }
  at_ = kept.at + text.size();
}

/// True: something is there, or may be.
bool ShapeLane::try_shapes(const Piece& kept, std::size_t from, bool last, Matches& matches) {
  for (const Shape& shape : matcher_.shapes[static_cast<unsigned char>(kept.bytes[from])]) {
    // The filter has seen three bytes, the fourth tells most prefixes apart.
    const bool has_fourth = shape.prefix.size() > 3 && from + 3 < kept.bytes.size();
    if (has_fourth && kept.bytes[from + 3] != shape.prefix[3]) continue;
    const std::size_t known = known_ > kept.at ? known_ - kept.at : 0;
    const Judged judged = judge(shape, kept.bytes, from, known, last);
    if (judged.known != 0) known_ = kept.at + judged.known;
    if (judged.verdict == Verdict::no || !may_begin(shape, kept.bytes, from)) continue;
    waiting_ = judged.verdict == Verdict::more;
    if (waiting_) return true;
    start_ = kept.at + judged.start;
    at_ = kept.at + judged.end;
    if (judged.open) inside_ = &shape;
    matches.add({start_, at_, shape.owner});
    return true;
  }
  return false;
}

void ShapeLane::go_on(const Piece& kept, bool last, Matches& matches) {
  // Only a PEM block is bounded: any other key is one run of bytes, however long.
  const std::uint64_t most = inside_->kind == ShapeKind::pem ? start_ + kMaxPem : kNowhere;
  const std::string_view text = kept.bytes.substr(0, std::max(most, at_) - kept.at);
  const bool cut = text.size() < kept.bytes.size();
  const Ending end = ending(*inside_, text, at_ - kept.at, last || cut);
  at_ = kept.at + end.at;
  matches.add({start_, at_, inside_->owner});
  if (end.found || cut)
    inside_ = nullptr;
  else
    waiting_ = !end.certain;
}

void ShapeLane::reset(std::uint64_t at) {
  began_ = at_ = known_ = at;
  waiting_ = false;
  inside_ = nullptr;
}

}  // namespace sbx::redact
