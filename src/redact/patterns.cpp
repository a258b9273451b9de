#include "redact/patterns.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace sbx::redact {
namespace {

constexpr std::string_view kAll = "all";

constexpr std::array<std::string_view, 13> kNames{
    "aws",    "openai", "anthropic", "github", "gitlab", "slack", "google",
    "stripe", "npm",    "pypi",      "jwt",    "pem",    kAll};

Error unknown(std::string_view name) {
  const std::string_view near = nearest_name(name, kNames);
  return {.kind = ErrorKind::profile,
          .what = "unknown pattern '" + printable(name) + "'",
          .hint = near.empty() ? "known are " + join(kNames, ", ")
                               : "did you mean '" + std::string(near) + "'?"};
}

}  // namespace

std::span<const std::string_view> pattern_names() { return kNames; }

Result<std::vector<std::string_view>> meant_patterns(std::span<const std::string> names) {
  for (const std::string& name : names)
    if (std::ranges::find(kNames, name) == kNames.end()) return std::unexpected(unknown(name));
  const bool all = std::ranges::find(names, kAll) != names.end();
  std::vector<std::string_view> meant;
  for (const std::string_view known : kNames)
    if (known != kAll && (all || std::ranges::find(names, known) != names.end()))
      meant.push_back(known);
  return meant;
}

}  // namespace sbx::redact
