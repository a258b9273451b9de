// The road from a name to the effective Profile: layers, variables, decoding, checks. A problem on
// one stage does not hide those of the next, as far as there is something to look at.
#include "profile/load.hpp"

#include <algorithm>
#include <iterator>

#include "base/ascii.hpp"
#include "profile/checks.hpp"
#include "profile/decode.hpp"
#include "profile/interpolate.hpp"
#include "profile/layering.hpp"

namespace sbx::profile {
namespace {

/// "/etc/sbx/team.yaml" -> "team", "<python>" -> "python".
std::string name_of(std::string_view file) {
  if (file.starts_with('<') && file.ends_with('>'))
    return std::string(file.substr(1, file.size() - 2));
  file.remove_prefix(file.rfind('/') + 1);
  for (const std::string_view suffix : {".yaml", ".yml"}) {
    if (file.ends_with(suffix)) file.remove_suffix(suffix.size());
  }
  std::string name(file.substr(0, 64));
  // A file may be called anything; only a name that somebody wrote into it is checked.
  for (char& c : name) {
    if (!is_alnum(c) && c != '_' && c != '.') c = '-';
  }
  return name.empty() || name.front() == '.' || name.front() == '-' ? "profile" + name : name;
}

}  // namespace

std::expected<Profile, Problems> load(const LoadRequest& request, const Reader& read) {
  Findings findings;
  Problems problems;
  Profile profile;
  profile.workspace.mode = request.mode;
  if (std::optional<Layers> layers = build_layers(request, read, findings, problems)) {
    profile.name = name_of(layers->name);
    profile.sha256 = std::move(layers->sha256);
    interpolate(layers->root, request.env, findings);
    findings.next_stage();
    Decoder(profile, findings, layers->folders).read_map(layers->root, profile_keys());
    findings.next_stage();
    validate(profile, findings);
  }
  std::ranges::move(findings.take(), std::back_inserter(problems));
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return profile;
}

}  // namespace sbx::profile
