#include "redact/escape_lane.hpp"

#include <algorithm>

#include "redact/escape_letters.hpp"

namespace sbx::redact {
namespace {

constexpr std::size_t kUnknown = std::string_view::npos;

}  // namespace

EscapeLane::EscapeLane(const Automaton& automaton, Escapes kind)
    : automaton_(automaton),
      steps_(automaton),
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
  woken_ = piece_.at + from;
  cursor_ = {.at = text};
  asides_.clear();  // they have no escape in them yet, and are what `text` says
  done_ = from;
  run(matches);
}

inline void EscapeLane::unit(Cursor& cursor, char c, std::uint64_t start, std::uint64_t end,
                             Matches& matches) {
  if (!asides_.empty()) [[unlikely]]
    step_asides(c, end, matches);
  starts_.set(cursor.units++, start);
  ++cursor.escapeless;
  cursor.at = steps_.step(cursor.at, static_cast<unsigned char>(c));
  if (!steps_.accepts(cursor.at)) [[likely]]
    return;
  matches.add(
      {start_of(cursor, automaton_.found(cursor.at)), end, automaton_.found_owner(cursor.at)});
}

void EscapeLane::begin_aside(std::string_view inside, std::uint64_t end) {
  Aside aside{.base = end};
  for (const char c : inside) aside.at = steps_.step(aside.at, static_cast<unsigned char>(c));
  // That it ends in there, too, the text as it stands tells.
  if (automaton_.begun(aside.at) != 0) asides_.push_back(aside);
}

void EscapeLane::step_asides(char c, std::uint64_t end, Matches& matches) {
  std::erase_if(asides_, [&](Aside& aside) {
    aside.at = steps_.step(aside.at, static_cast<unsigned char>(c));
    ++aside.units;
    if (steps_.accepts(aside.at) && automaton_.found(aside.at) > aside.units)
      matches.add(
          {start_of(aside, automaton_.found(aside.at)), end, automaton_.found_owner(aside.at)});
    return automaton_.begun(aside.at) <= aside.units;  // all of that the cursor has, too
  });
}

/// Inside the escape, every byte was a unit.
std::uint64_t EscapeLane::start_of(const Aside& aside, std::size_t count) const {
  return aside.base - (count - aside.units);
}

bool EscapeLane::is_plain(const Cursor& cursor) const {
  return automaton_.begun(cursor.at) <= cursor.escapeless &&
         std::ranges::all_of(asides_,
                             [&](const Aside& aside) { return aside.units <= cursor.escapeless; });
}

/// Before it woke, every byte was a unit.
std::uint64_t EscapeLane::start_of(const Cursor& cursor, std::size_t count) const {
  return count <= cursor.units ? starts_.get(cursor.units - count)
                               : woken_ - (count - cursor.units);
}

/// Where a byte that begins an escape is all that is here, or much is, it is not known yet.
EscapeLane::Meaning EscapeLane::percent_at(std::string_view rest) const {
  if (rest[0] == '+') return {1, ' ', true};
  if (rest.size() < 3) return {};
  const unsigned high = digit(rest[1]);
  const unsigned low = digit(rest[2]);
  if (high > 15 || low > 15) return {1, '%', false};
  return {3, static_cast<char>(high * 16 + low), true};
}

/// The escapes that are most frequent.
EscapeLane::Meaning EscapeLane::backslash_at(std::string_view rest) {
  if (rest.size() < 2) return {};
  const int letter = meaning(rest[1]);
  if (letter >= 0) return {2, static_cast<char>(letter), true};
  if (!rest.starts_with("\\u00") || rest.size() < 6) return {};
  const unsigned high = digit(rest[4]);
  const unsigned low = digit(rest[5]);
  if (high > 7 || low > 15) return {};
  return {6, static_cast<char>(high * 16 + low), true};
}

/// To the end of the piece, or until no escape follows and what has begun has none in it: the text
/// as it stands tells the same then.
void EscapeLane::run(Matches& matches) {
  const std::string_view bytes = piece_.bytes;
  Cursor cursor = cursor_;
  while (done_ < bytes.size()) {
    const char c = bytes[done_];
    const std::uint64_t place = piece_.at + done_;
    Meaning is{1, c, false};
    if (pending_size_ != 0) {
      is.size = 0;
    } else if (begins_with(c)) {
      const std::string_view rest = bytes.substr(done_);
      is = kind_ == Escapes::backslash ? backslash_at(rest) : percent_at(rest);
    } else if (is_plain(cursor)) {
      awake_ = false;
      break;
    }
    if (is.size != 0) {
      unit(cursor, is.byte, place, place + is.size, matches);
      if (is.escape) {
        cursor.escapeless = 0;
        begin_aside(bytes.substr(done_ + 1, is.size - 1), place + is.size);
      }
      done_ += is.size;
      continue;
    }
    cursor_ = cursor;
    if (put(c, place, matches)) ++done_;
    cursor = cursor_;
  }
  cursor_ = cursor;
}

bool EscapeLane::put(char c, std::uint64_t place, Matches& matches) {
  if (pending_size_ == 0) pending_start_ = place;
  pending_[pending_size_++] = c;
  switch (kind_ == Escapes::backslash ? read_backslash() : read_digits(16, 1, 2)) {
    case Read::more:
      return true;
    case Read::done:
      escape(place + 1, matches);
      return true;
    case Read::broken:
      break;
  }
  if (pending_size_ > kPoint && pending_[1] == 'u') {
    // Half of a pair whose other half does not come, and what may begin an escape of its own.
    const std::size_t after = pending_size_ - 1 - kPoint;
    const std::uint64_t start = pending_start_ + kPoint;
    std::array<char, 2 * kPoint> rest{};
    std::copy_n(&pending_[kPoint], after, rest.begin());
    code_ = first_half_;
    pending_size_ = kPoint;
    escape(start, matches);
    pending_ = rest;
    pending_size_ = after;
    pending_start_ = start;
    return false;
  }
  // The first byte stands for itself, and so do those after it, as none begins an escape.
  const std::size_t size = pending_size_ - 1;
  pending_size_ = 0;
  for (std::size_t i = 0; i < size; ++i)
    unit(cursor_, pending_[i], pending_start_ + i, pending_start_ + i + 1, matches);
  return false;
}

EscapeLane::Read EscapeLane::read_backslash() {
  if (pending_size_ == 1) return Read::more;
  const char kind = pending_[1];
  if (kind == 'u') return read_point();
  if (kind == 'U') {
    const Read read = pending_size_ == 2 ? Read::more : read_digits(16, 2, 8);
    return read == Read::done && code_ > kLastPoint ? Read::broken : read;
  }
  if (kind == 'x') return pending_size_ == 2 ? Read::more : read_digits(16, 2, 2);
  if (digit(kind) < 4) return read_digits(8, 1, 3);
  if (meaning(kind) < 0) return Read::broken;
  code_ = static_cast<std::uint32_t>(meaning(kind));
  return Read::done;
}

/// One \uXXXX, or two of them where the first says that there is a second.
EscapeLane::Read EscapeLane::read_point() {
  if (pending_size_ == 2) return Read::more;
  if (pending_size_ <= kPoint) {
    const Read read = read_digits(16, 2, 4);
    if (read != Read::done || !is_first_half(code_)) return read;
    first_half_ = code_;
    return Read::more;
  }
  if (pending_size_ <= kPoint + 2)
    return pending_[pending_size_ - 1] == pending_[pending_size_ - 1 - kPoint] ? Read::more
                                                                               : Read::broken;
  const Read read = read_digits(16, kPoint + 2, 4);
  if (read != Read::done) return read;
  if (!is_second_half(code_)) return Read::broken;
  code_ = joined(first_half_, code_);
  return Read::done;
}

EscapeLane::Read EscapeLane::read_digits(unsigned base, std::size_t from, std::size_t count) {
  if (pending_size_ <= from) return Read::more;
  if (digit(pending_[pending_size_ - 1]) >= base) return Read::broken;
  if (pending_size_ < from + count) return Read::more;
  code_ = 0;
  for (std::size_t i = from; i < from + count; ++i) code_ = code_ * base + digit(pending_[i]);
  return Read::done;
}

/// A code point of \u or \U is UTF-8 in the secret; one above 127 of any other escape is a byte.
void EscapeLane::escape(std::uint64_t end, Matches& matches) {
  const bool point = kind_ == Escapes::backslash && pending_size_ >= kPoint;
  const std::string_view inside(&pending_[1], pending_size_ - 1);
  pending_size_ = 0;
  const auto put_unit = [&](std::uint32_t byte) {
    unit(cursor_, static_cast<char>(byte), pending_start_, end, matches);
  };
  if (!point || code_ < 0x80) {
    put_unit(code_);
  } else if (code_ < 0x800) {
    put_unit(0xC0U | (code_ >> 6U));
    put_unit(0x80U | (code_ & 0x3FU));
  } else if (code_ < 0x10000) {
    put_unit(0xE0U | (code_ >> 12U));
    put_unit(0x80U | ((code_ >> 6U) & 0x3FU));
    put_unit(0x80U | (code_ & 0x3FU));
  } else {
    put_unit(0xF0U | (code_ >> 18U));
    put_unit(0x80U | ((code_ >> 12U) & 0x3FU));
    put_unit(0x80U | ((code_ >> 6U) & 0x3FU));
    put_unit(0x80U | (code_ & 0x3FU));
  }
  cursor_.escapeless = 0;
  begin_aside(inside, end);
}

std::uint64_t EscapeLane::open() const {
  if (!awake_) return kNowhere;
  const std::size_t begun = automaton_.begun(cursor_.at);
  std::uint64_t open = kNowhere;
  if (begun != 0)
    open = start_of(cursor_, begun);
  else if (pending_size_ != 0)
    open = pending_start_;
  for (const Aside& aside : asides_)
    open = std::min(open, start_of(aside, automaton_.begun(aside.at)));
  return open;
}

void EscapeLane::unfinished(std::uint64_t end, Matches& matches) const {
  if (!awake_) return;
  const auto add = [&](const auto& where) {
    const std::size_t begun = automaton_.begun(where.at);
    if (begun != 0 && automaton_.owner(where.at) != kNobody)
      matches.add({start_of(where, begun), end, automaton_.owner(where.at)});
  };
  add(cursor_);
  for (const Aside& aside : asides_) add(aside);
}

void EscapeLane::reset() {
  awake_ = false;
  cursor_ = {};
  asides_.clear();
  pending_size_ = 0;
}

}  // namespace sbx::redact
