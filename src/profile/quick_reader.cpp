// The core: block maps with word keys, block lists of values, one-line flow lists and maps (whose
// keys may be quoted), plain scalars of harmless characters and simple double-quoted ones; also one
// line alone that is such a list, map or quoted text, as a flag's value is. Doubt always means
// nullopt: tests and a fuzz target compare every tree made here with yaml-cpp's.
#include "profile/quick_reader.hpp"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/ascii.hpp"

namespace sbx::profile {
namespace {

/// Also keeps the number of values below kMaxNodes, whatever the text is.
constexpr std::size_t kMaxText = std::size_t{16} << 10U;
constexpr std::size_t kMaxNesting = 8;
constexpr std::size_t kMaxKey = 1000;  ///< YAML has no longer ones without a mark (7.4.3)

bool is_word(char c) { return is_alnum(c) || c == '_'; }
bool is_flow_plain(char c) { return is_word(c) || c == '.' || c == '/' || c == '-' || c == '+'; }
bool is_block_plain(char c) {
  return is_flow_plain(c) || c == ' ' || c == ',' || c == '(' || c == ')' || c == ';' || c == '=' ||
         c == '$' || c == '{' || c == '}';
}
/// "./data:/data", "${env:NAME}"; before a space it would end a key.
bool is_inner_colon(std::string_view text, std::size_t at) {
  return text[at] == ':' && at + 1 < text.size() && text[at + 1] != ' ';
}

/// Plain words that are not text in the core schema's eyes and get a node of their own kind.
bool is_null(std::string_view text) { return text == "null" || text == "Null" || text == "NULL"; }

/// A line with something on it.
struct Line {
  std::size_t indent = 0;
  std::string_view body;  ///< from the first character that is no space
  int number = 0;
};

class QuickReader {
 public:
  explicit QuickReader(const std::string& file) : file_(file) {}

  std::optional<Node> read(std::string_view text) {
    if (!split_lines(text) || lines_.empty() || lines_.front().indent != 0) return std::nullopt;
    const char first = lines_.front().body.front();
    if (lines_.size() == 1 && (first == '[' || first == '{' || first == '"'))
      return read_line_value(lines_.front(), 0);
    std::optional<Node> root = read_block(0, 0);
    if (next_ != lines_.size()) return std::nullopt;
    return root;
  }

 private:
  bool split_lines(std::string_view text) {
    for (int number = 1; !text.empty(); ++number) {
      const std::size_t end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      const std::size_t indent = line.find_first_not_of(' ');
      if (indent != std::string_view::npos && line[indent] != '#') {
        for (const char c : line) {
          if (c < 0x20 || c > 0x7e) return false;
        }
        lines_.push_back({indent, line.substr(indent), number});
      } else if (line.find('\t') != std::string_view::npos ||
                 line.find('\r') != std::string_view::npos) {
        return false;
      }
      if (end == std::string_view::npos) break;
      text.remove_prefix(end + 1);
    }
    return true;
  }

  /// The map or list whose lines start at `indent`.
  std::optional<Node> read_block(std::size_t indent, std::size_t depth) {
    if (depth > kMaxNesting) return std::nullopt;
    Node node;
    const bool list = lines_[next_].body.starts_with("- ");
    node.kind = list ? NodeKind::list : NodeKind::map;
    node.at = place(lines_[next_], 0);
    while (next_ < lines_.size() && lines_[next_].indent == indent) {
      std::optional<Node> child = list ? read_item() : read_entry(depth);
      if (!child || (!list && node.find(child->key) != nullptr)) return std::nullopt;
      node.children.push_back(std::move(*child));
    }
    // A deeper line here would continue the last value.
    if (next_ < lines_.size() && lines_[next_].indent > indent) return std::nullopt;
    return node;
  }

  std::optional<Node> read_item() {
    const Line& line = lines_[next_++];
    const std::size_t start = line.body.find_first_not_of(' ', 1);
    if (!line.body.starts_with("- ") || start == std::string_view::npos) return std::nullopt;
    return read_line_value(line, start);
  }

  std::optional<Node> read_entry(std::size_t depth) {
    const Line& line = lines_[next_++];
    std::size_t at = 0;
    while (at < line.body.size() && is_word(line.body[at])) ++at;
    if (at == 0 || at == line.body.size() || line.body[at] != ':') return std::nullopt;
    const std::string_view key = line.body.substr(0, at);
    if (is_null(key)) return std::nullopt;
    const std::size_t start = line.body.find_first_not_of(' ', at + 1);
    std::optional<Node> value;
    if (start == std::string_view::npos || (line.body[start] == '#' && start > at + 1)) {
      if (next_ == lines_.size() || lines_[next_].indent <= line.indent) return std::nullopt;
      value = read_block(lines_[next_].indent, depth + 1);
    } else if (start > at + 1) {
      value = read_line_value(line, start);
    }
    if (value) {
      value->key = key;
      value->key_at = place(line, 0);
    }
    return value;
  }

  /// A value that ends with its line, but for a comment.
  std::optional<Node> read_line_value(const Line& line, std::size_t at) {
    std::optional<Node> value = read_value(line, at, false, 0);
    const std::size_t rest = line.body.find_first_not_of(' ', at);
    if (rest == std::string_view::npos) return value;
    if (line.body[rest] != '#' || line.body[rest - 1] != ' ') return std::nullopt;
    return value;
  }

  /// Reads a value and moves `at` behind it.
  std::optional<Node> read_value(const Line& line, std::size_t& at, bool flow, std::size_t depth) {
    const char first = at < line.body.size() ? line.body[at] : ' ';
    if (first == '"') return read_quoted(line, at);
    if (first == '[' || first == '{') return read_flow(line, at, depth);
    const bool variable = first == '$' && !flow;
    if (!is_alnum(first) && first != '/' && first != '_' && first != '.' && !variable)
      return std::nullopt;
    const std::size_t start = at;
    while (at < line.body.size() &&
           (flow ? is_flow_plain(line.body[at])
                 : is_block_plain(line.body[at]) || is_inner_colon(line.body, at)))
      ++at;
    std::string_view text = line.body.substr(start, at - start);
    text = text.substr(0, text.find_last_not_of(' ') + 1);
    if (is_null(text) || text.starts_with("..")) return std::nullopt;
    Node node;
    node.kind = NodeKind::scalar;
    node.text = text;
    node.at = place(line, start);
    return node;
  }

  std::optional<Node> read_quoted(const Line& line, std::size_t& at) {
    const std::size_t end = line.body.find_first_of("\"\\", at + 1);
    if (end == std::string_view::npos || line.body[end] == '\\') return std::nullopt;
    Node node;
    node.kind = NodeKind::scalar;
    node.quoted = true;
    node.text = line.body.substr(at + 1, end - at - 1);
    node.at = place(line, at);
    at = end + 1;
    return node;
  }

  /// [a, b] or {a: b, c: d}.
  std::optional<Node> read_flow(const Line& line, std::size_t& at, std::size_t depth) {
    if (depth > kMaxNesting) return std::nullopt;
    const bool map = line.body[at] == '{';
    const char close = map ? '}' : ']';
    Node node;
    node.kind = map ? NodeKind::map : NodeKind::list;
    node.at = place(line, at);
    skip_spaces(line, ++at);
    if (at < line.body.size() && line.body[at] == close) {
      ++at;
      return node;
    }
    while (at < line.body.size()) {
      std::optional<Node> child =
          map ? read_flow_entry(line, at, depth) : read_value(line, at, true, depth + 1);
      if (!child || (map && node.find(child->key) != nullptr)) return std::nullopt;
      node.children.push_back(std::move(*child));
      skip_spaces(line, at);
      if (at == line.body.size()) return std::nullopt;
      const char next = line.body[at++];
      if (next == close) return node;
      if (next != ',') return std::nullopt;
      skip_spaces(line, at);
    }
    return std::nullopt;
  }

  std::optional<Node> read_flow_entry(const Line& line, std::size_t& at, std::size_t depth) {
    const std::size_t start = at;
    const std::optional<std::string> key = read_flow_key(line, at);
    if (!key || !line.body.substr(at).starts_with(": ")) return std::nullopt;
    skip_spaces(line, ++at);
    std::optional<Node> value = read_value(line, at, true, depth + 1);
    if (value) {
      value->key = *key;
      value->key_at = place(line, start);
    }
    return value;
  }

  std::optional<std::string> read_flow_key(const Line& line, std::size_t& at) {
    const std::size_t start = at;
    std::string key;
    if (at < line.body.size() && line.body[at] == '"') {
      std::optional<Node> quoted = read_quoted(line, at);
      if (quoted) key = std::move(quoted->text);
    } else {
      while (at < line.body.size() && is_word(line.body[at])) ++at;
      key = line.body.substr(start, at - start);
      if (is_null(key)) return std::nullopt;
    }
    if (key.empty() || key.size() > kMaxKey) return std::nullopt;
    return key;
  }

  static void skip_spaces(const Line& line, std::size_t& at) {
    while (at < line.body.size() && line.body[at] == ' ') ++at;
  }

  [[nodiscard]] Origin place(const Line& line, std::size_t offset) const {
    return {file_, line.number, static_cast<int>(line.indent + offset) + 1};
  }

  const std::string& file_;
  std::vector<Line> lines_;
  std::size_t next_ = 0;
};

}  // namespace

std::optional<Node> read_quickly(const std::string& file, std::string_view text) {
  if (text.size() > kMaxText) return std::nullopt;
  return QuickReader(file).read(text);
}

}  // namespace sbx::profile
