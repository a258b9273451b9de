// Patterns of paths, as `mask` has them: `*` and `?` within a name, `**` for any number of folders,
// every other character for itself; what has brackets means what a shell takes it for, too.
// Pure, and without allocation: init matches between clone and exec.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sbx {

/// A path is matched name by name, by all ways at once: the states say which parts of the pattern
/// may come next. So a tree is walked once, however many `**` there are.
class PathPattern {
 public:
  static constexpr std::size_t kMaxParts = 60;
  static constexpr std::size_t kMaxLength = 4096;  ///< PATH_MAX

  /// Bit i: the parts from i on are left to be matched; 0: no way leads on.
  using States = std::uint64_t;

  /// "/workspace/**/*.pem"; "/a/", "//a" and "/./a" mean "/a".
  explicit PathPattern(std::string_view pattern) noexcept;
  PathPattern(const PathPattern&) = delete;  // parts_ points into text_
  PathPattern& operator=(const PathPattern&) = delete;

  /// False: the pattern is empty or too long or has too many parts, and matches nothing.
  [[nodiscard]] bool valid() const noexcept { return count_ != 0; }
  /// At the root, before any name.
  [[nodiscard]] States start() const noexcept;
  /// After one more name; `name` ends with a 0 byte and has no '/'.
  [[nodiscard]] States step(States states, const char* name) const noexcept;
  /// Is the path so far one that the pattern means?
  [[nodiscard]] bool matches(States states) const noexcept { return (states & bit(count_)) != 0; }

 private:
  static constexpr States bit(std::size_t part) noexcept { return States{1} << part; }
  /// `part` is next; or, as `**` may stand for no folder, the one after it.
  [[nodiscard]] States enter(std::size_t part) const noexcept;

  std::array<char, kMaxLength> text_{};
  std::array<const char*, kMaxParts> parts_{};  ///< into text_
  std::size_t count_ = 0;
};

/// Does the pattern mean `path` (absolute, normal), or a folder above it?
bool covers(const PathPattern& pattern, std::string_view path);

/// Does a wildcard begin anywhere in `pattern`?
bool has_wildcard(std::string_view pattern);

/// The path that somebody has written out: all of a pattern without a wildcard, else the folder
/// before its first one. Absolute and normal.
std::string written_out(std::string_view pattern);

}  // namespace sbx
