// What a command has switched on in a terminal, out of what it has written, in whatever pieces.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "supervise/screen_modes.hpp"

using namespace sbx::supervise;

namespace {

/// The same for every way of cutting `text` in two, and byte by byte.
std::string undo_of(std::string_view text) {
  ScreenModes whole;
  whole.see(text);
  std::string undo(whole.undo().view());
  ScreenModes single;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    ScreenModes two;
    two.see(text.substr(0, i));
    two.see(text.substr(i));
    CHECK(two.undo().view() == undo);
    single.see(text.substr(i, 1));
  }
  CHECK(single.undo().view() == undo);
  return undo;
}

}  // namespace

TEST_CASE("what a full-screen program has switched on is switched off, the cursor last") {
  CHECK(undo_of("\x1b[?1049h\x1b[?25l") == "\x1b[?1049l\x1b[?25h");
  CHECK(undo_of("text\x1b[?25l\x1b[?1049;2004h\x1b[?1h\x1b=more") ==
        "\x1b>\x1b[?2004l\x1b[?1l\x1b[?1049l\x1b[?25h");
  CHECK(undo_of("\x1b[?1000h\x1b[?1002h\x1b[?1006h") == "\x1b[?1000l\x1b[?1002l\x1b[?1006l");
  CHECK(undo_of("\x1b[>4;2m\x1b[>1u\x1b[>5u") == "\x1b[<2u\x1b[>4m");
}

TEST_CASE("what it has put back itself, or never touched, is left alone") {
  for (const char* const text :
       {"", "plain text\r\n", "\x1b[31mred\x1b[0m", "\x1b[?1049h\x1b[?25l\x1b[?25h\x1b[?1049l",
        "\x1b=\x1b>",
        "\x1b[?1049h\x1b[?25l\x1b=\x1b"
        "c",
        "\x1b[?25l\x1b[?1h\x1b=\x1b[!p", "\x1b[>4;2m\x1b[>4m", "\x1b[>4;2m\x1b[>4;0m",
        "\x1b[>1u\x1b[<u", "\x1b[>1u\x1b[<9u", "\x1b[4h", "\x1b[25l", "\x1b[?25h", "\x1b[?12l",
        "\x1b[?99999999999h", "\x1b[?h"})
    CHECK_MESSAGE(undo_of(text).empty(), text);
}

TEST_CASE("what only looks like a sequence is none") {
  CHECK(undo_of("\x1b[?25\x18l").empty());
  CHECK(undo_of("\x1b[?25\x1b[31ml").empty());
  CHECK(undo_of("\x1b[?25\xc3\xa9l").empty());
  CHECK(undo_of("[?25l \x1b ]?25l").empty());
  CHECK(undo_of("\x1b[?" + std::string(200, '1') + ";25l").empty());
  // A control character in the midst of one is obeyed at once, and does not end it.
  CHECK(undo_of("\x1b[?2\r5l") == "\x1b[?25h");
  CHECK(undo_of("\x1b\x1b[?25l") == "\x1b[?25h");
}

TEST_CASE("all of it together has room") {
  std::string text = "\x1b=\x1b[>4;2m";
  for (int i = 0; i < 300; ++i) text += "\x1b[>1u";
  for (int mode = 0; mode < 3000; ++mode)
    text += "\x1b[?" + std::to_string(mode) + (mode == 25 ? "l" : "h");
  ScreenModes modes;
  modes.see(text);
  CHECK(modes.undo().view().ends_with("\x1b[?25h"));
  modes.see(std::string(modes.undo().view()));
  CHECK(modes.undo().view().empty());
}
