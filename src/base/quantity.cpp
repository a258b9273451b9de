// Exact arithmetic only: a size or duration that does not come out whole is refused, not rounded.
#include "base/quantity.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace sbx {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr std::uint64_t kKibi = 1024;
constexpr std::uint64_t kKilo = 1000;

constexpr std::array<Unit, 15> kByteUnits{{
    {"B", 1},
    {"K", kKibi},
    {"KiB", kKibi},
    {"kB", kKilo},
    {"KB", kKilo},
    {"M", kKibi* kKibi},
    {"MiB", kKibi* kKibi},
    {"MB", kKilo* kKilo},
    {"G", kKibi* kKibi* kKibi},
    {"GiB", kKibi* kKibi* kKibi},
    {"GB", kKilo* kKilo* kKilo},
    {"T", kKibi* kKibi* kKibi* kKibi},
    {"TiB", kKibi* kKibi* kKibi* kKibi},
    {"TB", kKilo* kKilo* kKilo* kKilo},
    {"PiB", kKibi* kKibi* kKibi* kKibi* kKibi},
}};

constexpr std::array<Unit, 5> kTimeUnits{{
    {"ms", 1},
    {"s", 1000},
    {"m", 60'000},
    {"h", 3'600'000},
    {"d", 86'400'000},
}};

/// What others call a unit, and how it is written here.
struct Alias {
  std::string_view theirs;
  std::string_view ours;
};

constexpr std::array<Alias, 13> kByteAliases{{{"b", "B"},
                                              {"k", "K"},
                                              {"m", "M"},
                                              {"g", "G"},
                                              {"t", "T"},
                                              {"kb", "KB"},
                                              {"mb", "MB"},
                                              {"gb", "GB"},
                                              {"tb", "TB"},
                                              {"Ki", "K"},
                                              {"Mi", "M"},
                                              {"Gi", "G"},
                                              {"Ti", "T"}}};

constexpr std::array<Alias, 15> kTimeAliases{{{"msec", "ms"},
                                              {"S", "s"},
                                              {"sec", "s"},
                                              {"secs", "s"},
                                              {"second", "s"},
                                              {"seconds", "s"},
                                              {"min", "m"},
                                              {"mins", "m"},
                                              {"minute", "m"},
                                              {"minutes", "m"},
                                              {"hr", "h"},
                                              {"hour", "h"},
                                              {"hours", "h"},
                                              {"day", "d"},
                                              {"days", "d"}}};

std::string blank_before_unit(std::string_view whole) {
  return "a blank stands before the unit of the " + std::string(whole) + "; take it out";
}

std::string blank_between_units(std::string_view duration) {
  std::string joined(duration);
  std::erase(joined, ' ');
  return "a blank stands between the units of the duration `" + printable(duration) +
         (parse_duration(joined) ? "`; write " + joined : "`; take it out, as in 1h30m");
}

/// "unknown unit `sec` in the duration `10sec`; did you mean s? The units are ..."
std::string unknown_unit(std::string_view name, std::string_view whole,
                         std::span<const Alias> aliases, std::string_view units) {
  const auto known = std::ranges::find(aliases, name, &Alias::theirs);
  const std::string meant =
      known == aliases.end() ? "the" : "did you mean " + std::string(known->ours) + "? The";
  return "unknown unit `" + printable(name) + "` in the " + std::string(whole) + "; " + meant +
         " units are " + std::string(units);
}

template <std::size_t n>
const Unit* find_unit(const std::array<Unit, n>& units, std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

/// "12.5" at the front of `text`, as digits / scale; moves `text` behind it.
struct Decimal {
  std::uint64_t digits = 0;
  std::uint64_t scale = 1;
};

Parsed<Decimal> take_decimal(std::string_view& text) {
  Decimal out;
  bool dot = false;
  std::size_t used = 0;
  std::size_t digits = 0;
  for (; used < text.size(); ++used) {
    const char c = text[used];
    if (c == '.' && !dot && digits > 0) {
      dot = true;
      continue;
    }
    if (!is_digit(c)) break;
    ++digits;
    if (out.digits > (std::numeric_limits<std::uint64_t>::max() - 9) / 10 ||
        out.scale > 1'000'000'000) {
      return std::unexpected("`" + printable(text) + "` has too many digits");
    }
    out.digits = out.digits * 10 + static_cast<unsigned>(c - '0');
    if (dot) out.scale *= 10;
  }
  if (digits == 0 || (dot && text[used - 1] == '.')) {
    return std::unexpected("`" + printable(text) + "` does not start with a number");
  }
  text.remove_prefix(used);
  return out;
}

std::string_view take_letters(std::string_view& text) {
  std::size_t used = 0;
  while (used < text.size() && is_letter(text[used])) ++used;
  const std::string_view letters = text.substr(0, used);
  text.remove_prefix(used);
  return letters;
}

/// number * factor, or why it is not a whole number below 2^63 (what off_t and the kernel's files
/// take).
Parsed<std::uint64_t> scaled(const Decimal& number, std::uint64_t factor, std::string_view text,
                             std::string_view smallest) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{number.digits} * factor;
  if (product % number.scale != 0) {
    return std::unexpected("`" + printable(text) + "` is not a whole number of " +
                           std::string(smallest));
  }
  const Wide value = product / number.scale;
  if (value > static_cast<Wide>(std::numeric_limits<std::int64_t>::max())) {
    return std::unexpected("`" + printable(text) + "` is too large");
  }
  return static_cast<std::uint64_t>(value);
}

}  // namespace

Parsed<std::uint64_t> parse_bytes(std::string_view text) {
  std::string_view rest = text;
  const Decimal number = SBX_TRY(take_decimal(rest));
  if (rest.starts_with(' '))
    return std::unexpected(blank_before_unit("size `" + printable(text) + "`"));
  if (rest.empty()) {
    if (number.digits == 0) return 0;
    return std::unexpected("the size `" + printable(text) + "` needs a unit, such as " +
                           std::string(text) + "M (powers of two) or " + std::string(text) +
                           "MB (powers of ten)");
  }
  const Unit* unit = find_unit(kByteUnits, rest);
  if (unit == nullptr && rest.find_first_of("0123456789") != std::string_view::npos)
    return std::unexpected("the size `" + printable(text) +
                           "` is more than one number and one unit; write it as one, as in 1536M");
  if (unit == nullptr) {
    return std::unexpected(
        unknown_unit(rest, "size `" + printable(text) + "`", kByteAliases,
                     "B, K, M, G, T (powers of two) and KB, MB, GB, TB (powers of ten)"));
  }
  return scaled(number, unit->factor, text, "bytes");
}

Parsed<std::uint64_t> parse_rate(std::string_view text) {
  constexpr std::string_view kASecond = "/s";
  if (!text.ends_with(kASecond))
    return std::unexpected("the rate `" + printable(text) + "` needs a size and a time: 10M/s");
  const std::uint64_t bytes = SBX_TRY(parse_bytes(text.substr(0, text.size() - kASecond.size())));
  if (bytes == 0) return std::unexpected("the rate `" + printable(text) + "` is 0");
  return bytes;
}

Parsed<std::chrono::milliseconds> parse_duration(std::string_view text) {
  std::string_view rest = text;
  std::uint64_t total = 0;
  std::uint64_t previous = std::numeric_limits<std::uint64_t>::max();
  do {
    const Decimal number = SBX_TRY(take_decimal(rest));
    const std::string_view name = take_letters(rest);
    if (name.empty()) {
      if (text == "0") return std::chrono::milliseconds{0};
      if (rest.starts_with(' '))
        return std::unexpected(blank_before_unit("duration `" + printable(text) + "`"));
      return std::unexpected("the duration `" + printable(text) +
                             "` needs a unit: ms, s, m, h or d, as in 10s");
    }
    const Unit* unit = find_unit(kTimeUnits, name);
    if (unit == nullptr) {
      return std::unexpected(unknown_unit(name, "duration `" + printable(text) + "`", kTimeAliases,
                                          "ms, s, m (minutes), h and d"));
    }
    if (unit->factor >= previous) {
      return std::unexpected("the units of `" + printable(text) + "` must fall, as in 1h30m");
    }
    previous = unit->factor;
    total += SBX_TRY(scaled(number, unit->factor, text, "milliseconds"));
    if (total > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return std::unexpected("`" + printable(text) + "` is too large");
    }
    if (rest.starts_with(' ')) return std::unexpected(blank_between_units(text));
  } while (!rest.empty());
  return std::chrono::milliseconds{static_cast<std::int64_t>(total)};
}

Parsed<std::chrono::milliseconds> parse_signed_duration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::chrono::milliseconds value = SBX_TRY(parse_duration(text));
  return negative ? -value : value;
}

std::string format_bytes(std::uint64_t bytes) {
  std::string best = std::to_string(bytes) + (bytes == 0 ? "" : "B");
  if (bytes == 0) return best;
  for (const Unit& unit : kByteUnits) {
    // KB before kB would never be chosen; one spelling for each factor is enough.
    if (unit.factor == 1 || unit.name == "kB" || bytes % unit.factor != 0) continue;
    std::string candidate = std::to_string(bytes / unit.factor) + std::string(unit.name);
    if (candidate.size() < best.size()) best = std::move(candidate);
  }
  return best;
}

std::string format_rate(std::uint64_t bytes) { return format_bytes(bytes) + "/s"; }

std::string format_duration(std::chrono::milliseconds duration) {
  const std::int64_t count = duration.count();
  if (count == 0) return "0s";
  std::string out = count < 0 ? "-" : "";
  auto rest = count < 0 ? 0 - static_cast<std::uint64_t>(count) : static_cast<std::uint64_t>(count);
  for (std::size_t i = kTimeUnits.size(); i-- > 0;) {
    const Unit& unit = kTimeUnits[i];
    if (rest < unit.factor) continue;
    out += std::to_string(rest / unit.factor) + std::string(unit.name);
    rest %= unit.factor;
  }
  return out;
}

}  // namespace sbx
