#include "mcp/line_reader.hpp"

namespace sbx::mcp {

void LineReader::feed(std::string_view bytes) { rest_ += bytes; }

std::optional<LineReader::Line> LineReader::next() {
  const std::size_t end = rest_.find('\n', seen_);
  if (end == std::string::npos) {
    seen_ = rest_.size();
    if (dropping_ || rest_.size() > longest_) {
      dropping_ = true;
      std::string().swap(rest_);
      seen_ = 0;
    }
    return std::nullopt;
  }
  Line line;
  line.too_long = dropping_ || end > longest_;
  if (!line.too_long) line.text = rest_.substr(0, end);
  if (line.text.ends_with('\r')) line.text.pop_back();
  rest_.erase(0, end + 1);
  seen_ = 0;
  dropping_ = false;
  return line;
}

}  // namespace sbx::mcp
