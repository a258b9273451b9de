#include "plan/masks.hpp"

#include <algorithm>
#include <utility>

#include "base/path_pattern.hpp"
#include "base/text.hpp"
#include "plan/mount_parts.hpp"

namespace sbx::plan {
namespace {

std::string mask_key(std::size_t i) { return "mask[" + std::to_string(i) + "]"; }

void hold_above_mask(Tree& tree, const std::string& mask, const std::string& key) {
  if (!has_wildcard(mask)) tree.hold_above(written_out(mask), key);
}

void add_mask(Builder& b, const Tree& tree, const std::string& mask, const std::string& key) {
  constexpr const char* kReason = "named in the profile";
  std::string written = written_out(mask);
  if (!has_wildcard(mask)) {
    b.add(Phase::init, MaskPath{std::move(written)}, kReason, key);
    return;
  }
  auto lasting = tree.lasting_at(written);
  b.add(Phase::init, MaskGlob{mask, std::move(written), std::move(lasting)}, kReason, key);
}

/// A folder of the host's, and where the sandbox shows it.
struct Shown {
  std::string at;
  std::string source;
};

std::vector<Shown> folders_shown(const Builder& b) {
  std::vector<Shown> shown;
  const auto add = [&](const SourceFacts* folder, const std::string& at) {
    if (folder == nullptr) return;
    Shown one{lexical_path("/", at), folder->path};
    if (one.at != one.source) shown.push_back(std::move(one));  // else it has one name
  };
  add(shown_workspace(b), b.profile.workspace.at);
  for (const profile::Mount& mount : b.profile.mounts)
    if (const auto* const bind = std::get_if<profile::BindMount>(&mount.what))
      add(facts_of(b, *bind), bind->target);
  return shown;
}

bool shows_tool(const Builder& b, const std::string& source) {
  return std::ranges::any_of(b.facts.tools, [&](const ToolInstallation& tool) {
    return std::ranges::any_of(tool.trees, [&](const RootEntry& tree) {
      return tree.type != EntryType::symlink &&
             (is_below(tree.path, source) || is_below(source, tree.path));
    });
  });
}

/// `mask` for the same files by their name on the host; "": it hides none of them.
Result<std::string> by_host_name(const Builder& b, const std::string& mask, const Shown& shown,
                                 const std::string& key) {
  const std::string written = written_out(mask);
  const bool glob = has_wildcard(mask);
  if (!glob && is_below(shown.at, written)) return shown.source;
  if (!glob && is_below(written, shown.at)) return shown.source + written.substr(shown.at.size());
  if (!glob || (!is_below(written, shown.at) && !is_below(shown.at, written))) return "";
  if (mask.starts_with("/**/")) return "";  // it is looked for everywhere
  if (mask.starts_with(shown.at + "/") && !has_wildcard(shown.source))
    return shown.source + mask.substr(shown.at.size());
  return std::unexpected(
      Error{.kind = ErrorKind::profile,
            .what = "a tool lies in " + quote(shown.source) +
                    " and shows there, too, where this pattern does not hide anything",
            .where = b.origin_of(key).to_string(),
            .hint = "write it without wildcards up to " + shown.at + "/, or as /**/NAME"});
}

}  // namespace

Result<void> plan_masks(Builder& b, Tree& tree) {
  std::vector<std::pair<std::string, std::string>> masks;  // and their keys
  masks.reserve(b.profile.mask.size());
  for (std::size_t i = 0; i < b.profile.mask.size(); ++i)
    masks.emplace_back(b.profile.mask[i], mask_key(i));
  if (!masks.empty()) {
    const std::size_t own = masks.size();
    for (const Shown& shown : folders_shown(b)) {
      if (!shows_tool(b, shown.source)) continue;
      for (std::size_t i = 0; i < own; ++i) {
        std::string there = SBX_TRY(by_host_name(b, masks[i].first, shown, masks[i].second));
        if (!there.empty()) masks.emplace_back(std::move(there), masks[i].second);
      }
    }
  }
  // All of these first: one mask may lie in a folder that another hides.
  for (const auto& [mask, key] : masks) hold_above_mask(tree, mask, key);
  for (const auto& [mask, key] : masks) add_mask(b, tree, mask, key);
  return {};
}

}  // namespace sbx::plan
