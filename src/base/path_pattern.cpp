#include "base/path_pattern.hpp"

#include <fnmatch.h>

#include <cstring>
#include <string>

#include "base/lexical_path.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace sbx {
namespace {

constexpr std::string_view kWild = "*?[";

bool is_any_depth(const char* part) noexcept { return std::strcmp(part, "**") == 0; }

/// A part that adds no name to the path.
bool is_nothing(const char* part) noexcept { return *part == '\0' || std::strcmp(part, ".") == 0; }

/// Behind the character at `text`; a byte that begins none of UTF-8 is one by itself.
const char* after_character(const char* text) noexcept {
  const auto lead = static_cast<unsigned char>(*text);
  const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
  for (int i = 1; i <= more; ++i) {
    if (!continues_character(text[i])) return text + 1;
  }
  return text + 1 + more;
}

/// Not by fnmatch(3), to which a backslash is more than itself, and `?` what the locale says.
bool is_like(const char* pattern, const char* name) noexcept {
  const char* star = nullptr;  // behind the last `*`
  const char* rest = nullptr;  // what that one leaves
  while (*name != '\0') {
    if (*pattern == '*') {
      star = ++pattern;
      rest = name;
    } else if (*pattern == '?') {
      ++pattern;
      name = after_character(name);
    } else if (*pattern == *name) {
      ++pattern;
      ++name;
    } else if (star != nullptr) {
      pattern = star;
      name = rest = after_character(rest);
    } else {
      return false;
    }
  }
  while (*pattern == '*') ++pattern;
  return *pattern == '\0';
}

/// "[id]" is the name of a folder, but "[ab]" may be meant as for a shell: no mask is to miss it.
bool is_in_class(const char* pattern, const char* name) noexcept {
  return std::strchr(pattern, '[') != nullptr && ::fnmatch(pattern, name, FNM_NOESCAPE) == 0;
}

}  // namespace

PathPattern::PathPattern(std::string_view pattern) noexcept {
  if (pattern.starts_with('/')) pattern.remove_prefix(1);
  if (pattern.empty() || pattern.size() >= kMaxLength) return;
  std::memcpy(text_.data(), pattern.data(), pattern.size());
  std::size_t count = 0;
  for (char* part = text_.data(); part != nullptr;) {
    char* const slash = std::strchr(part, '/');
    if (slash != nullptr) *slash = '\0';
    if (!is_nothing(part)) {
      if (count == kMaxParts) return;
      parts_[count++] = part;
    }
    part = slash != nullptr ? slash + 1 : nullptr;
  }
  count_ = count;
}

PathPattern::States PathPattern::enter(std::size_t part) const noexcept {
  States states = bit(part);
  // At the end it stands for at least one name.
  while (part + 1 < count_ && is_any_depth(parts_[part])) states |= bit(++part);
  return states;
}

PathPattern::States PathPattern::start() const noexcept { return valid() ? enter(0) : 0; }

PathPattern::States PathPattern::step(States states, const char* name) const noexcept {
  States next = 0;
  for (std::size_t part = 0; part < count_; ++part) {
    if ((states & bit(part)) == 0) continue;
    if (is_any_depth(parts_[part])) {
      next |= enter(part);
      if (part + 1 == count_) next |= bit(count_);
    } else if (is_like(parts_[part], name) || is_in_class(parts_[part], name)) {
      next |= enter(part + 1);
    }
  }
  return next;
}

bool covers(const PathPattern& pattern, std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  PathPattern::States states = pattern.start();
  for (const std::string_view name : split(path, '/')) {
    states = pattern.step(states, std::string(name).c_str());
    if (pattern.matches(states)) return true;
  }
  return false;
}

bool has_wildcard(std::string_view pattern) { return pattern.find_first_of(kWild) != pattern.npos; }

std::string written_out(std::string_view pattern) {
  const std::size_t wild = pattern.find_first_of(kWild);
  if (wild != std::string_view::npos) pattern = pattern.substr(0, pattern.rfind('/', wild));
  return lexical_path("/", pattern);
}

}  // namespace sbx
