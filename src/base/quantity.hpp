// Sizes and durations as people write them ("256M", "1.5s"), and back. Pure. Both want a unit:
// a bare number is refused (0 excepted), because nobody can tell bytes from megabytes in it.
#pragma once

#include <charconv>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace sbx {

/// The error side is a sentence without place and full stop ("a size needs a unit, such as 512M").
template <class T>
using Parsed = std::expected<T, std::string>;

/// A number that is all of `text`: no space or sign before it, nothing after it.
template <std::integral Number>
std::optional<Number> parse_number(std::string_view text, int base = 10) {
  Number value{};
  const auto [end, error] = std::from_chars(text.begin(), text.end(), value, base);
  if (error != std::errc{} || end != text.end()) return std::nullopt;
  return value;
}

/// "256M" and "256MiB" are powers of two, "50MB" powers of ten, "12B" bytes; "1.5G" is fine, "0"
/// too.
Parsed<std::uint64_t> parse_bytes(std::string_view text);

/// "10M/s": bytes a second, never 0; the unit as of a size.
Parsed<std::uint64_t> parse_rate(std::string_view text);

/// "200ms", "1.5s", "2m", "1h", "7d", or several in falling order: "1m30s". Never negative.
Parsed<std::chrono::milliseconds> parse_duration(std::string_view text);

/// The same with an optional leading '+' or '-' (time offsets: "-3d").
Parsed<std::chrono::milliseconds> parse_signed_duration(std::string_view text);

/// The shortest exact form that parse_bytes reads back: 536870912 -> "512M", 50000000 -> "50MB".
std::string format_bytes(std::uint64_t bytes);

/// The same of a rate: "10M/s".
std::string format_rate(std::uint64_t bytes);

/// The shortest exact form that parse_signed_duration reads back: 90000 ms -> "1m30s".
std::string format_duration(std::chrono::milliseconds duration);

}  // namespace sbx
