#include "redact/text_lane.hpp"

#include <algorithm>
#include <cstring>

namespace sbx::redact {
namespace {

/// Where the next of one kind of byte is, looked for once.
class Next {
 public:
  Next(std::string_view bytes, char c, bool wanted) : bytes_(bytes), c_(c), wanted_(wanted) {}

  std::size_t from(std::size_t place) {
    if (!wanted_) return bytes_.size();
    if (!known_ || at_ < place) {
      at_ = std::min(bytes_.find(c_, place), bytes_.size());
      known_ = true;
    }
    return at_;
  }

 private:
  std::string_view bytes_;
  char c_;
  bool wanted_;
  bool known_ = false;
  std::size_t at_ = 0;
};

}  // namespace

TextLane::TextLane(const Matcher& matcher)
    : matcher_(matcher),
      automaton_(matcher.automaton),
      escapes_{EscapeLane(matcher.automaton, Escapes::percent),
               EscapeLane(matcher.automaton, Escapes::backslash),
               EscapeLane(matcher.automaton, Escapes::form)},
      used_(matcher.plus ? 3 : 2) {}

void TextLane::scan(const Piece& piece, Matches& matches) {
  const std::string_view bytes = piece.bytes;
  place_ = piece.at;
  end_ = piece.at + bytes.size();
  Next percent(bytes, '%', true);
  Next backslash(bytes, '\\', true);
  Next plus(bytes, '+', matcher_.plus);
  std::size_t done = scan_escaped(bytes, 0, matches);
  while (done < bytes.size()) {
    const std::size_t next = std::min({percent.from(done), backslash.from(done), plus.from(done)});
    scan_plain(bytes, done, next, matches);
    done = scan_escaped(bytes, next, matches);
  }
}

void TextLane::scan_plain(std::string_view bytes, std::size_t from, std::size_t to,
                          Matches& matches) {
  const char* text = bytes.data();
  At at = at_;
  // The filter wants three bytes that stand for themselves, and reads one more.
  const std::size_t readable = std::min(to + 1, bytes.size());
  const std::size_t filtered =
      readable < TextFilter::kReads ? 0 : readable - TextFilter::kReads + 1;
  for (std::size_t i = from; i < to; ++i) {
    if (at == 0) {
      while (i < filtered && !matcher_.text.may_begin(text + i)) ++i;
      if (i == to) break;
    }
    at = automaton_.step(at, static_cast<unsigned char>(text[i]));
    if (automaton_.accepts(at)) {
      const std::uint64_t end = place_ + i + 1;
      matches.add({end - automaton_.found(at), end, automaton_.found_owner(at)});
    }
  }
  at_ = at;
}

/// From an escape, or where a lane is awake already, until all sleep; returns how far that is.
std::size_t TextLane::scan_escaped(std::string_view bytes, std::size_t from, Matches& matches) {
  for (std::size_t i = from; i < bytes.size(); ++i) {
    bool awake = false;
    const At before = at_;
    scan_plain(bytes, i, i + 1, matches);
    for (EscapeLane& lane : escapes()) {
      if (!lane.awake() && lane.begins_with(bytes[i])) lane.wake(before, place_ + i);
      if (!lane.awake()) continue;
      lane.put(bytes[i], place_ + i, matches);
      lane.sleep_if_like(at_);
      awake = awake || lane.awake();
    }
    if (!awake) return i + 1;
  }
  return bytes.size();
}

std::uint64_t TextLane::open() const {
  std::uint64_t open = at_ == 0 ? kNowhere : end_ - automaton_.depth(at_);
  for (const EscapeLane& lane : escapes_) open = std::min(open, lane.open());
  return open;
}

void TextLane::unfinished(Matches& matches) const {
  if (at_ != 0) matches.add({end_ - automaton_.depth(at_), end_, automaton_.owner(at_)});
  for (const EscapeLane& lane : escapes_) lane.unfinished(end_, matches);
}

void TextLane::reset() {
  at_ = 0;
  for (EscapeLane& lane : escapes_) lane.reset();
}

}  // namespace sbx::redact
