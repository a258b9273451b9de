// Short text in an array: for code between clone and exec, where nothing may allocate and where the
// pages that printf(3) touches would each cost a fault.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

namespace sbx {

/// Holds at most `N` - 1 bytes and the 0 after them. What does not fit ends the program: the
/// callers' numbers have known lengths, and a cut path would name something else.
template <std::size_t N>
class FixedText {
 public:
  FixedText& add(std::string_view text) noexcept {
    if (text.size() >= N - size_) std::abort();
    std::memcpy(text_ + size_, text.data(), text.size());
    size_ += text.size();
    text_[size_] = '\0';
    return *this;
  }

  FixedText& add(std::integral auto number, int base = 10) noexcept {
    const auto written = std::to_chars(text_ + size_, text_ + N - 1, number, base);
    if (written.ec != std::errc{}) std::abort();
    size_ = static_cast<std::size_t>(written.ptr - text_);
    text_[size_] = '\0';
    return *this;
  }

  [[nodiscard]] const char* c_str() const noexcept { return text_; }
  [[nodiscard]] std::string_view view() const noexcept { return {text_, size_}; }

 private:
  std::size_t size_ = 0;
  char text_[N]{};
};

}  // namespace sbx
