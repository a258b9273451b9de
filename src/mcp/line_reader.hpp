// Lines out of a stream of bytes; one that is too long is dropped as it comes, and told. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sbx::mcp {

class LineReader {
 public:
  explicit LineReader(std::size_t longest) : longest_(longest) {}

  struct Line {
    std::string text{};
    bool too_long = false;  ///< `text` is empty then
  };

  void feed(std::string_view bytes);
  /// The next whole line, without its end.
  std::optional<Line> next();
  /// Is there none to be had?
  [[nodiscard]] bool waits() const { return rest_.find('\n', seen_) == std::string::npos; }

 private:
  std::size_t longest_;
  std::string rest_{};
  std::size_t begin_ = 0;  ///< of the line under way, in rest_
  std::size_t seen_ = 0;   ///< up to here it has no end
  bool dropping_ = false;  ///< the line under way is too long
};

}  // namespace sbx::mcp
