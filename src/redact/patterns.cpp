#include "redact/patterns.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace sbx::redact {
namespace {

constexpr std::string_view kAll = "all";

constexpr std::array kNames{
    PatternName{"aws", "AWS access key ids, and secret access keys where they are assigned"},
    PatternName{"openai", "OpenAI keys (sk-…, sk-proj-…)"},
    PatternName{"anthropic", "Anthropic keys (sk-ant-…)"},
    PatternName{"github", "GitHub tokens (ghp_…, gho_…, ghu_…, ghs_…, ghr_…, github_pat_…)"},
    PatternName{"gitlab", "GitLab tokens (glpat-…, gldt-…, glrt-…, glcbt-…, glptt-…)"},
    PatternName{"slack", "Slack tokens (xoxb-…, xoxp-…, xapp-…)"},
    PatternName{"google", "Google API keys (AIza…)"},
    PatternName{"stripe", "Stripe live keys (sk_live_…, rk_live_…)"},
    PatternName{"npm", "npm access tokens (npm_…)"},
    PatternName{"pypi", "PyPI upload tokens (pypi-…)"},
    PatternName{"jwt", "JSON Web Tokens"},
    PatternName{"pem", "private keys in PEM, from BEGIN to END"},
    PatternName{kAll, "all of these"},
};

bool is_known(std::string_view name) {
  return std::ranges::find(kNames, name, &PatternName::name) != kNames.end();
}

Error unknown(std::string_view name) {
  std::vector<std::string_view> names;
  names.reserve(kNames.size());
  for (const PatternName& known : kNames) names.push_back(known.name);
  const std::string_view near = nearest_name(name, names);
  return {.kind = ErrorKind::profile,
          .what = "unknown pattern '" + printable(name) + "'",
          .hint = near.empty() ? "known are " + join(names, ", ")
                               : "did you mean '" + std::string(near) + "'?"};
}

}  // namespace

std::span<const PatternName> pattern_names() { return kNames; }

Result<std::vector<std::string_view>> meant_patterns(std::span<const std::string> names) {
  for (const std::string& name : names)
    if (!is_known(name)) return std::unexpected(unknown(name));
  const bool all = std::ranges::find(names, kAll) != names.end();
  std::vector<std::string_view> meant;
  for (const PatternName& known : kNames)
    if (known.name != kAll && (all || std::ranges::find(names, known.name) != names.end()))
      meant.push_back(known.name);
  return meant;
}

}  // namespace sbx::redact
