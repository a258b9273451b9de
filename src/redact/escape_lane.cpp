#include "redact/escape_lane.hpp"

#include <algorithm>

namespace sbx::redact {
namespace {

/// 99: no digit.
unsigned digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return 99;
}

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

}  // namespace

EscapeLane::EscapeLane(const Automaton& automaton, Escapes kind)
    : automaton_(automaton), kind_(kind), starts_(automaton.longest() + 1) {}

void EscapeLane::wake(At text, std::uint64_t place) {
  awake_ = true;
  at_ = text;
  woken_ = place;
  units_ = 0;
  escapeless_ = 0;
}

void EscapeLane::put(char c, std::uint64_t place, Matches& matches) {
  if (pending_size_ == 0) {
    if (!begins_with(c)) return unit(c, place, place + 1, matches);
    pending_start_ = place;
    if (c == '+') {
      code_ = ' ';
      return escape(place + 1, matches);
    }
    pending_[pending_size_++] = c;
    return;
  }
  pending_[pending_size_++] = c;
  switch (kind_ == Escapes::backslash ? read_backslash(c) : read_percent(c)) {
    case Read::more:
      return;
    case Read::done:
      return escape(place + 1, matches);
    case Read::broken:
      break;
  }
  // No escape: all but the last byte stand for themselves, and that one may begin an escape.
  const std::size_t size = pending_size_ - 1;
  pending_size_ = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t start = pending_start_ + i;
    unit(pending_[i], start, start + 1, matches);
  }
  put(c, place, matches);
}

EscapeLane::Read EscapeLane::read_percent(char) { return read_digits(16, 1, 2); }

EscapeLane::Read EscapeLane::read_backslash(char) {
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

void EscapeLane::sleep_if_like(At text) {
  if (pending_size_ != 0) return;
  if (at_ == 0 || (at_ == text && automaton_.depth(at_) <= escapeless_)) awake_ = false;
}

std::uint64_t EscapeLane::open() const {
  if (!awake_) return kNowhere;
  if (at_ != 0) return start_of(automaton_.depth(at_));
  return pending_size_ != 0 ? pending_start_ : kNowhere;
}

void EscapeLane::unfinished(std::uint64_t end, Matches& matches) const {
  if (awake_ && at_ != 0) matches.add({open(), end, automaton_.owner(at_)});
}

void EscapeLane::reset() {
  awake_ = false;
  at_ = 0;
  pending_size_ = 0;
}

}  // namespace sbx::redact
