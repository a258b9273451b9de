// A walk over the characters, as dumping a parsed value recurses as deep as a hostile file says.
#include "report/json_layout.hpp"

#include <algorithm>
#include <cstddef>

#include <nlohmann/json.hpp>

namespace sbx::report {
namespace {

constexpr std::size_t kDeepest = 40;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// The length of the string that `json` begins with, with its quotes.
std::size_t string_length(std::string_view json) {
  std::size_t at = 1;
  while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
  return std::min(at + 1, json.size());
}

class Layout {
 public:
  std::optional<std::string> of(std::string_view json) {
    for (std::size_t at = 0; at < json.size(); ++at) {
      const char c = json[at];
      if (c == '"') {
        const std::size_t length = string_length(json.substr(at));
        out_ += json.substr(at, length);
        at += length - 1;
      } else if (c == '{' || c == '[') {
        const std::size_t next = json.find_first_not_of(" \t\r\n", at + 1);
        out_ += c;
        if (next != std::string_view::npos && (json[next] == '}' || json[next] == ']')) {
          out_ += json[next];
          at = next;
        } else {
          if (++depth_ > kDeepest) return std::nullopt;
          line();
        }
      } else {
        put(c);
      }
    }
    return std::move(out_);
  }

 private:
  void put(char c) {
    if (c == '}' || c == ']') {
      --depth_;
      line();
      out_ += c;
    } else if (c == ',') {
      out_ += c;
      line();
    } else if (c == ':') {
      out_ += ": ";
    } else if (!is_space(c)) {
      out_ += c;
    }
  }

  void line() {
    out_ += '\n';
    out_.append(2 * depth_, ' ');
  }

  std::string out_;
  std::size_t depth_ = 0;
};

}  // namespace

std::optional<std::string> laid_out(std::string_view json) {
  if (!nlohmann::json::accept(json)) return std::nullopt;
  return Layout().of(json);
}

}  // namespace sbx::report
