#include "mcp/line_reader.hpp"

namespace sbx::mcp {

// What was told is taken out here, once for all lines of a piece, and not line by line.
void LineReader::feed(std::string_view bytes) {
  rest_.erase(0, begin_);
  seen_ -= begin_;
  begin_ = 0;
  rest_ += bytes;
}

std::optional<LineReader::Line> LineReader::next() {
  const std::size_t end = rest_.find('\n', seen_);
  if (end == std::string::npos) {
    seen_ = rest_.size();
    if (dropping_ || rest_.size() - begin_ > longest_) {
      dropping_ = true;
      std::string().swap(rest_);
      begin_ = seen_ = 0;
    }
    return std::nullopt;
  }
  Line line;
  line.too_long = dropping_ || end - begin_ > longest_;
  if (!line.too_long) line.text = rest_.substr(begin_, end - begin_);
  if (line.text.ends_with('\r')) line.text.pop_back();
  begin_ = seen_ = end + 1;
  dropping_ = false;
  return line;
}

}  // namespace sbx::mcp
