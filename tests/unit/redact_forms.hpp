// Secrets as programs print them, made at random.
#pragma once

#include <random>
#include <string>
#include <string_view>

namespace redact_testing {

std::string base64(std::string_view bytes, bool url_safe = false, bool padded = true);
std::string hex(std::string_view bytes, bool upper = false);
/// Every `columns` characters a line end.
std::string wrapped(std::string_view text, std::size_t columns, std::string_view line_end = "\n");

class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  std::size_t below(std::size_t end) { return random_() % end; }
  bool often() { return below(2) == 0; }
  std::string of(std::string_view alphabet, std::size_t length);
  /// Some bytes as they are, some as escapes.
  std::string percent(std::string_view bytes);
  std::string form(std::string_view bytes);
  std::string json(std::string_view bytes);
  /// One of all forms, with something of another text in it before and after where that matters.
  std::string any_form(std::string_view bytes);

 private:
  std::mt19937 random_;
};

}  // namespace redact_testing
