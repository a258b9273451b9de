// What can go wrong, as a value. Pure; used by every process and every library of sbx.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <utility>

#include "base/feature.hpp"

namespace sbx {

/// A system call's error number (errno(3)); never 0 when it stands in an expected's error side.
struct Errno {
  int value = 0;
};

/// "EPERM": the constant that manual pages are searched by; the number where it has none.
std::string errno_name(int error);

/// Of EFBIG, where nobody else sets a limit.
inline constexpr const char* kFileSizeHint =
    "the caller's limit on the size of files is too small: ulimit -f";

/// Whose fault an error is; decides how it is worded, not which exit code it gets (always 125).
enum class ErrorKind {
  usage,     ///< the command line
  profile,   ///< a profile file or `--set`
  host,      ///< this host lacks something that the plan needs
  setup,     ///< a step of the plan failed
  internal,  ///< sbx itself is wrong
};

/// Where a value was written. `file` is a path, a built-in profile's name in angle brackets
/// ("<python>"), or a flag ("--memory"); line and column count from 1, and are 0 when the place has
/// none (a flag, a default).
struct Origin {
  std::string file;
  int line = 0;
  int column = 0;

  /// "file:line:column", or just "file" when there is no line.
  [[nodiscard]] std::string to_string() const;
  bool operator==(const Origin&) const = default;
};

/// One failure: what happened, where, which errno (0 when none), why, and what to try next.
struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string what;
  std::string where{};  ///< "file:line:column", "--memory", "p.yaml:3:5: step 14/31"; may be empty
  std::string hint{};   ///< the next thing to try; empty when there is none
  int sys_errno = 0;
  std::optional<Feature> feature{};  ///< what of the kernel's was asked for
  std::string cause{};               ///< why it is likely, once somebody has looked; a clause

  /// "where: what: Errno text" on the first line, then "  because cause" and "  hint", for a
  /// person.
  [[nodiscard]] std::string to_string() const;
  /// The same in one line.
  [[nodiscard]] std::string to_line() const;
};

template <class T>
using Result = std::expected<T, Error>;

template <class T>
using SysResult = std::expected<T, Errno>;

}  // namespace sbx

/// Evaluates an expected; returns its error from the enclosing function, or yields its value.
/// A statement expression, because g++ 12 has no monadic members of std::expected.
#define SBX_TRY(...)                                                                            \
  __extension__({                                                                               \
    auto sbx_try_result = (__VA_ARGS__);                                                        \
    if (!sbx_try_result.has_value()) return std::unexpected(std::move(sbx_try_result).error()); \
    std::move(sbx_try_result).value();                                                          \
  })

/// The same for an expected<void, E>.
#define SBX_CHECK(...)                                                                          \
  do {                                                                                          \
    auto sbx_try_result = (__VA_ARGS__);                                                        \
    if (!sbx_try_result.has_value()) return std::unexpected(std::move(sbx_try_result).error()); \
  } while (false)
