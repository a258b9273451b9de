// Sequences as in ECMA-48 and xterm's "Control Sequences": ESC, or ESC [ with parameters and a last
// byte. What stands in other strings (titles, pictures) has no ESC in it.
#include "supervise/screen_modes.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <limits>

#include "base/quantity.hpp"
#include "base/text.hpp"

namespace sbx::supervise {
namespace {

constexpr char kEscape = '\x1b';

struct Mode {
  int number;
  bool normal;  ///< on until somebody switches it off
};

/// In the order in which they are put back: what types, the screen, and last the cursor on it.
constexpr std::array kModes{
    Mode{1000, false}, Mode{1002, false}, Mode{1003, false}, Mode{1004, false}, Mode{1005, false},
    Mode{1006, false}, Mode{1015, false}, Mode{1016, false}, Mode{2004, false}, Mode{1, false},
    Mode{47, false},   Mode{1047, false}, Mode{1049, false}, Mode{25, true}};

constexpr std::uint32_t bit_of(int number) {
  const auto found = std::ranges::find(kModes, number, &Mode::number);
  return found == kModes.end() ? 0 : 1U << static_cast<unsigned>(found - kModes.begin());
}

}  // namespace

void ScreenModes::see(std::string_view bytes) {
  while (!bytes.empty()) {
    if (at_ == At::text) {
      const std::size_t next = bytes.find(kEscape);
      if (next == std::string_view::npos) return;
      bytes.remove_prefix(next);
    }
    take(bytes.front());
    bytes.remove_prefix(1);
  }
}

void ScreenModes::take(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  if (byte == kEscape) {
    at_ = At::escape;
  } else if (at_ == At::escape) {
    escape(byte);
  } else if (code == 0x18 || code == 0x1a || code > 0x7e) {  // CAN, SUB: it is broken off
    at_ = At::text;
  } else if (code >= 0x40) {
    at_ = At::text;
    sequence(byte);
  } else if (code >= 0x20) {
    if (length_ < std::size(parameters_)) parameters_[length_] = byte;
    ++length_;
  }
}

void ScreenModes::escape(char byte) {
  at_ = byte == '[' ? At::sequence : At::text;
  length_ = 0;
  if (byte == '=') keypad_ = true;
  if (byte == '>') keypad_ = false;
  if (byte == 'c') *this = ScreenModes();  // RIS: all is as it was switched on
}

void ScreenModes::sequence(char final) {
  if (length_ > std::size(parameters_)) return;
  std::string_view rest(parameters_, length_);
  const char kind = rest.empty() ? '\0' : rest.front();
  if (kind == '!' && final == 'p') return reset_softly();
  if (kind != '?' && kind != '>' && kind != '<') return;
  rest.remove_prefix(1);
  if (kind == '?' && (final == 'h' || final == 'l')) set_modes(rest, final == 'h');
  if (kind == '>' && final == 'm' && (rest == "4" || rest.starts_with("4;")))
    other_keys_ = rest.size() > 2 && rest != "4;0";
  if (kind == '>' && final == 'u' && keyboards_ < std::numeric_limits<unsigned>::max())
    ++keyboards_;
  if (kind == '<' && final == 'u')
    keyboards_ -= std::min(keyboards_, parse_number<unsigned>(rest).value_or(1));
}

void ScreenModes::set_modes(std::string_view numbers, bool on) {
  for (const std::string_view number : split(numbers, ';')) {
    const std::uint32_t bit = bit_of(parse_number<int>(number).value_or(-1));
    const bool normal = bit == bit_of(25);
    changed_ = on == normal ? changed_ & ~bit : changed_ | bit;
  }
}

/// DECSTR
void ScreenModes::reset_softly() {
  changed_ &= ~(bit_of(1) | bit_of(25));
  keypad_ = false;
}

ScreenModes::Text ScreenModes::undo() const {
  Text text;
  if (keyboards_ > 0) text.add("\x1b[<").add(keyboards_).add("u");
  if (other_keys_) text.add("\x1b[>4m");
  if (keypad_) text.add("\x1b>");
  for (const Mode& mode : kModes)
    if ((changed_ & bit_of(mode.number)) != 0)
      text.add("\x1b[?").add(mode.number).add(mode.normal ? "h" : "l");
  return text;
}

}  // namespace sbx::supervise
