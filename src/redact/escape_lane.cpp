#include "redact/escape_lane.hpp"

#include <algorithm>

namespace sbx::redact {
namespace {

constexpr std::array<unsigned char, 256> digit_table() {
  std::array<unsigned char, 256> table{};
  table.fill(99);
  for (unsigned char i = 0; i < 10; ++i) table['0' + i] = i;
  for (unsigned char i = 0; i < 6; ++i)
    table['a' + i] = table['A' + i] = static_cast<unsigned char>(10 + i);
  return table;
}
constexpr auto kDigits = digit_table();

/// 99: no digit.
unsigned digit(char c) { return kDigits[static_cast<unsigned char>(c)]; }

/// What one letter after a backslash stands for; -1: nothing.
int meaning(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'v':
      return '\v';
    case 'a':
      return '\a';
    case 'e':
      return '\x1b';
    case '"':
    case '\'':
    case '/':
    case '\\':
      return c;
    default:
      return -1;
  }
}

constexpr std::size_t kUnknown = std::string_view::npos;

}  // namespace

EscapeLane::EscapeLane(const Automaton& automaton, Escapes kind)
    : automaton_(automaton),
      kind_(kind),
      first_(kind == Escapes::backslash ? '\\' : '%'),
      plus_(kind == Escapes::form ? '+' : first_),
      starts_(automaton.longest() + 1) {}

void EscapeLane::begin(const Piece& piece, Matches& matches) {
  piece_ = piece;
  done_ = 0;
  if (awake_) run(matches);
  next_ = kUnknown;
}

std::size_t EscapeLane::next(std::size_t from) {
  from = std::max(from, done_);
  if (next_ < from || next_ == kUnknown) {
    next_ = std::min(piece_.bytes.find(first_, from), piece_.bytes.size());
    if (plus_ != first_) next_ = std::min(next_, piece_.bytes.substr(0, next_).find(plus_, from));
  }
  return next_;
}

void EscapeLane::wake(At text, std::size_t from, Matches& matches) {
  awake_ = true;
  at_ = text;
  woken_ = piece_.at + from;
  units_ = 0;
  escapeless_ = 0;
  done_ = from;
  run(matches);
}

/// To the end of the piece, or until it may sleep and no escape follows at once.
void EscapeLane::run(Matches& matches) {
  const std::string_view bytes = piece_.bytes;
  while (done_ < bytes.size()) {
    if (pending_size_ == 0 && begins_with(bytes[done_])) {
      if (put_whole(matches)) continue;
    } else if (pending_size_ == 0 && may_sleep()) {
      awake_ = false;
      return;
    }
    put(bytes[done_], piece_.at + done_, matches);
    ++done_;
  }
}

/// The escapes that are most frequent, where all of them is here.
bool EscapeLane::put_whole(Matches& matches) {
  const std::string_view here = piece_.bytes.substr(done_, 3);
  const std::uint64_t start = piece_.at + done_;
  std::size_t size = 1;
  int byte = ' ';
  if (here[0] == '%') {
    size = 3;
    if (here.size() < size) return false;
    const unsigned high = digit(here[1]);
    const unsigned low = digit(here[2]);
    if (high > 15 || low > 15) return false;
    byte = static_cast<int>(high * 16 + low);
  } else if (here[0] == '\\') {
    size = 2;
    if (here.size() < size) return false;
    byte = meaning(here[1]);
    if (byte < 0) return false;
  }
  done_ += size;
  unit(static_cast<char>(byte), start, start + size, matches);
  escapeless_ = 0;
  return true;
}

void EscapeLane::put(char c, std::uint64_t place, Matches& matches) {
  if (pending_size_ == 0) {
    if (!begins_with(c)) return unit(c, place, place + 1, matches);
    pending_start_ = place;
    pending_[pending_size_++] = c;
    return;
  }
  pending_[pending_size_++] = c;
  switch (kind_ == Escapes::backslash ? read_backslash() : read_digits(16, 1, 2)) {
    case Read::more:
      return;
    case Read::done:
      return escape(place + 1, matches);
    case Read::broken:
      break;
  }
  // No escape: its first byte stands for itself, and so do those after it, as none begins another.
  const std::size_t size = pending_size_ - 1;
  pending_size_ = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t start = pending_start_ + i;
    unit(pending_[i], start, start + 1, matches);
  }
  if (c == '+' && plus_ == '+') {
    unit(' ', place, place + 1, matches);
    escapeless_ = 0;
    return;
  }
  put(c, place, matches);
}

EscapeLane::Read EscapeLane::read_backslash() {
  const char kind = pending_[1];
  if (kind == 'u') return pending_size_ == 2 ? Read::more : read_digits(16, 2, 4);
  if (kind == 'x') return pending_size_ == 2 ? Read::more : read_digits(16, 2, 2);
  if (digit(kind) < 4) return read_digits(8, 1, 3);
  if (meaning(kind) < 0) return Read::broken;
  code_ = static_cast<std::uint32_t>(meaning(kind));
  return Read::done;
}

EscapeLane::Read EscapeLane::read_digits(unsigned base, std::size_t from, std::size_t count) {
  if (digit(pending_[pending_size_ - 1]) >= base) return Read::broken;
  if (pending_size_ < from + count) return Read::more;
  code_ = 0;
  for (std::size_t i = from; i < from + count; ++i) code_ = code_ * base + digit(pending_[i]);
  return Read::done;
}

/// A code point of \u is UTF-8 in the secret; one above 127 of any other escape is a byte.
void EscapeLane::escape(std::uint64_t end, Matches& matches) {
  const bool point = kind_ == Escapes::backslash && pending_size_ == 6;
  pending_size_ = 0;
  const auto put_unit = [&](std::uint32_t byte) {
    unit(static_cast<char>(byte), pending_start_, end, matches);
  };
  if (!point || code_ < 0x80) {
    put_unit(code_);
  } else if (code_ < 0x800) {
    put_unit(0xC0U | (code_ >> 6U));
    put_unit(0x80U | (code_ & 0x3FU));
  } else {
    put_unit(0xE0U | (code_ >> 12U));
    put_unit(0x80U | ((code_ >> 6U) & 0x3FU));
    put_unit(0x80U | (code_ & 0x3FU));
  }
  escapeless_ = 0;
}

void EscapeLane::unit(char c, std::uint64_t start, std::uint64_t end, Matches& matches) {
  starts_.set(units_++, start);
  ++escapeless_;
  at_ = automaton_.step(at_, static_cast<unsigned char>(c));
  if (!automaton_.accepts(at_)) return;
  matches.add({start_of(automaton_.found(at_)), end, automaton_.found_owner(at_)});
}

/// Before it woke, every byte was a unit.
std::uint64_t EscapeLane::start_of(std::size_t depth) const {
  return depth <= units_ ? starts_.get(units_ - depth) : woken_ - (depth - units_);
}

std::uint64_t EscapeLane::open() const {
  if (!awake_) return kNowhere;
  const std::size_t begun = automaton_.begun(at_);
  if (begun != 0) return start_of(begun);
  return pending_size_ != 0 ? pending_start_ : kNowhere;
}

void EscapeLane::unfinished(std::uint64_t end, Matches& matches) const {
  if (!awake_ || automaton_.begun(at_) == 0 || automaton_.owner(at_) == kNobody) return;
  matches.add({open(), end, automaton_.owner(at_)});
}

void EscapeLane::reset() {
  awake_ = false;
  at_ = 0;
  pending_size_ = 0;
}

}  // namespace sbx::redact
