#include "redact/text_lane.hpp"

#include <algorithm>
#include <cstring>

namespace sbx::redact {
TextLane::TextLane(const Matcher& matcher)
    : matcher_(matcher),
      automaton_(matcher.automaton),
      escapes_{EscapeLane(matcher.automaton, Escapes::percent),
               EscapeLane(matcher.automaton, Escapes::backslash),
               EscapeLane(matcher.automaton, Escapes::form)},
      used_(matcher.plus ? 3 : 2) {}

/// At every escape that a lane has not read yet it gets the state of the text before it, and runs
/// ahead.
void TextLane::scan(const Piece& piece, Found& found) {
  place_ = piece.at;
  end_ = piece.at + piece.bytes.size();
  for (std::size_t i = 0; i < used_; ++i) escapes_[i].begin(piece, found[i + 1]);
  for (std::size_t done = 0;;) {
    std::size_t next = piece.bytes.size();
    for (EscapeLane& lane : escapes()) next = std::min(next, lane.next(done));
    scan_plain(piece.bytes, done, next, found[0]);
    if (next == piece.bytes.size()) return;
    for (std::size_t i = 0; i < used_; ++i)
      if (escapes_[i].next(next) == next) escapes_[i].wake(at_, next, found[i + 1]);
    done = next;
  }
}

void TextLane::scan_plain(std::string_view bytes, std::size_t from, std::size_t to,
                          Matches& matches) {
  const char* text = bytes.data();
  const Automaton::Steps steps(automaton_);
  const TextFilter& filter = matcher_.text;
  At at = at_;
  // The filter wants three bytes that stand for themselves, and reads one more.
  const std::size_t readable = std::min(to + 1, bytes.size());
  const std::size_t filtered =
      readable < TextFilter::kReads ? 0 : readable - TextFilter::kReads + 1;
  for (std::size_t i = from; i < to; ++i) {
    if (at == 0) {
      while (i < filtered && !filter.may_begin(text + i)) ++i;
      if (i == to) break;
    }
    at = steps.step(at, static_cast<unsigned char>(text[i]));
    if (steps.accepts(at)) {
      const std::uint64_t end = place_ + i + 1;
      matches.add({end - automaton_.found(at), end, automaton_.found_owner(at)});
    }
  }
  at_ = at;
}

std::uint64_t TextLane::open() const {
  std::uint64_t open = end_ - automaton_.begun(at_);
  for (const EscapeLane& lane : escapes_) open = std::min(open, lane.open());
  return open;
}

void TextLane::unfinished(Found& found) const {
  if (automaton_.begun(at_) != 0 && automaton_.owner(at_) != kNobody)
    found[0].add({end_ - automaton_.begun(at_), end_, automaton_.owner(at_)});
  for (std::size_t i = 0; i < used_; ++i) escapes_[i].unfinished(end_, found[i + 1]);
}

void TextLane::reset() {
  at_ = 0;
  for (EscapeLane& lane : escapes_) lane.reset();
}

}  // namespace sbx::redact
