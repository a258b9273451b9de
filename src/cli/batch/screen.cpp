#include "cli/batch/screen.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "cli/say.hpp"
#include "os/pty.hpp"

namespace sbx::cli::batch {
namespace {

constexpr std::chrono::milliseconds kPause{200};
constexpr std::size_t kUnknownWidth = 80;

bool can_go_back() {
  const char* const terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

}  // namespace

Screen::Screen(bool shown) : shown_(shown && can_go_back()) {}

std::optional<Screen::Clock::time_point> Screen::due() const {
  if (!shown_) return std::nullopt;
  return due_;
}

void Screen::paint(const Tally& tally, Clock::time_point now) {
  if (!shown_ || now < due_) return;
  due_ = now + kPause;
  const unsigned columns = os::terminal_columns(STDERR_FILENO);
  // One less: in the last column many terminals go to the next line by themselves.
  const std::size_t width = (columns == 0 ? kUnknownWidth : columns) - 1;
  write_error("\r" + progress_line(tally, width) + "\x1b[K");
  painted_ = true;
}

void Screen::clear() {
  if (painted_) write_error("\r\x1b[K");
  painted_ = false;
}

}  // namespace sbx::cli::batch
