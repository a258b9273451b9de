#include "base/git_config.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/ascii.hpp"

namespace sbx {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_name(char c) { return is_alnum(c) || c == '-'; }

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // git takes a byte order mark
  }

  std::vector<GitSetting> read() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (is_space(c))
        ++at_;
      else if (c == '#' || c == ';')
        skip_line();
      else if (c == '[')
        read_section();
      else
        read_setting();
    }
    return std::move(settings_);
  }

 private:
  [[nodiscard]] bool more() const { return at_ < text_.size(); }
  void skip_line() {
    while (more() && text_[at_] != '\n') ++at_;
  }

  /// [core], [include "..."], and the old [branch.name]: what follows the section's own name is
  /// left out. A quoted name may hold a ']'.
  void read_section() {
    section_.clear();
    bool quoted = false;
    bool named = true;
    for (++at_; more() && text_[at_] != '\n'; ++at_) {
      const char c = text_[at_];
      if (c == ']' && !quoted) break;
      if (quoted && c == '\\') ++at_;
      if (c == '"') quoted = !quoted;
      if (!is_name(c)) named = false;
      if (named) section_ += to_lower(c);
    }
    if (more()) ++at_;
  }

  void read_setting() {
    std::string key = section_ + '.';
    const std::size_t start = at_;
    for (; more() && is_name(text_[at_]); ++at_) key += to_lower(text_[at_]);
    if (at_ == start) return skip_line();  // no name: git refuses the file
    while (more() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    if (!more() || text_[at_] != '=') return skip_line();  // true, without a value
    ++at_;
    std::string older;
    std::string value = read_value(older);
    if (older != value) settings_.push_back({key, std::move(older)});
    settings_.push_back({std::move(key), std::move(value)});
  }

  /// To the end of the line, which a backslash takes away; quotes keep spaces and comment signs.
  /// `older`: as git had it before 2.45, when a tab between words was a space.
  std::string read_value(std::string& older) {
    std::string value;
    std::size_t kept = 0;  // spaces after this are the line's, not the value's
    bool quoted = false;
    for (; more(); ++at_) {
      char c = text_[at_];
      if (c == '\n') break;
      if (!quoted && (c == '#' || c == ';')) {
        skip_line();
        break;
      }
      if (c == '"') {
        quoted = !quoted;
        kept = value.size();
        continue;
      }
      if (!quoted && is_space(c)) {
        if (!value.empty()) {
          value += c;
          older += ' ';
        }
        continue;
      }
      if (c == '\\' && !escaped(c)) {
        kept = value.size();
        continue;
      }
      value += c;
      older += c;
      kept = value.size();
    }
    // To git it is a C string.
    value.resize(std::min(kept, value.find('\0')));
    older.resize(value.size());
    return value;
  }

  /// What a backslash and the byte after it stand for; false: for nothing, the line goes on.
  bool escaped(char& c) {
    if (++at_ >= text_.size()) return false;
    if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
    c = text_[at_];
    if (c == 'n') c = '\n';
    if (c == 't') c = '\t';
    if (c == 'b') c = '\b';
    return text_[at_] != '\n';
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string section_;
  std::vector<GitSetting> settings_;
};

}  // namespace

std::vector<GitSetting> parse_git_config(std::string_view text) { return Reader(text).read(); }

}  // namespace sbx
