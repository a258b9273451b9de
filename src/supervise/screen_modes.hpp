// What a command has switched on in the caller's terminal, by what it has written there: a
// full-screen program that somebody else ends leaves the alternate screen, no cursor, and a mouse
// that types. Only what is put back in most terminals, and only what was seen. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/fixed_text.hpp"

namespace sbx::supervise {

class ScreenModes {
 public:
  using Text = FixedText<256>;

  /// All that the terminal gets, in whatever pieces.
  void see(std::string_view bytes);
  /// What puts back all that is not as the terminal had it; empty: nothing is.
  [[nodiscard]] Text undo() const;

 private:
  enum class At { text, escape, sequence };

  void take(char byte);
  void escape(char byte);
  void sequence(char final);
  void set_modes(std::string_view numbers, bool on);
  void reset_softly();

  At at_ = At::text;
  std::size_t length_ = 0;
  char parameters_[64]{};      ///< of the sequence, with the bytes before its last
  std::uint32_t changed_ = 0;  ///< a bit for each mode of the table
  bool keypad_ = false;        ///< sends sequences for its keys
  bool other_keys_ = false;    ///< xterm's modifyOtherKeys
  unsigned keyboards_ = 0;     ///< pushed on kitty's stack
};

}  // namespace sbx::supervise
