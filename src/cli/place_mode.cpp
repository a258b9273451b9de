#include "cli/place_mode.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.hpp"

namespace sbx::cli {

Result<std::string_view> without_mode(std::string_view flag, std::string_view text) {
  constexpr std::array<std::string_view, 9> kModes{"ro",   "rw",     "z",      "Z",        "U",
                                                   "exec", "noexec", "cached", "delegated"};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return text;
  const std::string_view mode = text.substr(colon + 1);
  const std::string_view rest = text.substr(0, colon);
  for (const std::string_view word : split(mode, ','))
    if (std::ranges::find(kModes, word) == kModes.end()) return text;
  if (!rest.contains(":/")) return text;  // no place is named
  if (flag == "--" + std::string(mode)) return rest;
  const bool other = (flag == "--ro" && mode == "rw") || (flag == "--rw" && mode == "ro");
  const std::string line = (other ? "--" + std::string(mode) : std::string(flag)) + " ";
  return std::unexpected(Error{.kind = ErrorKind::usage,
                               .what = quote(mode) + " behind the place is no mode of this flag",
                               .where = std::string(flag),
                               .hint = (other ? "write " : "leave it out: ") + line + quote(rest)});
}

}  // namespace sbx::cli
