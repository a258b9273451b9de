// --why path:/x, where there are no namespaces: the command sees the host's files.
#include <algorithm>
#include <string>
#include <string_view>
#include <variant>

#include "base/text.hpp"
#include "plan/builder.hpp"
#include "plan/why_path_parts.hpp"

namespace sbx::plan {
namespace {

constexpr std::string_view kWorkspaceRule = "workspace.source";  // as shared_rules.cpp names it

/// Would a line that opens `path` be refused, because of what is in it? Private folders of runs
/// may not be shown, nor may anything be read-only inside of what is writable.
bool holds_others(const Asked& asked, const ApplyLandlock& wall, const std::string& path,
                  bool writable) {
  const bool runs = std::ranges::any_of(asked.plan.steps, [&path](const Step& step) {
    const auto* const scratch = std::get_if<MakeScratch>(&step.action);
    return scratch != nullptr && is_below(scratch->path, path);
  });
  return runs || (writable && std::ranges::any_of(wall.rules, [&path](const LandlockRule& rule) {
                    return !rule.writable && !rule.key.empty() && is_below(rule.path, path);
                  }));
}

/// `line` lets the command write. Started by root it is another user, and one line is not enough.
void offer_writing(const Asked& asked, std::string line, Answer& answer) {
  const bool as_root = std::ranges::any_of(asked.plan.steps, [](const Step& step) {
    return std::holds_alternative<BecomeReservedId>(step.action);
  });
  if (as_root && std::ranges::find(asked.profile.degrade, "idmap") == asked.profile.degrade.end())
    answer.hint = "started by root it takes two lines:  " + line + "  and  degrade: [idmap]";
  else
    answer.allow_with = std::move(line);
}

void offer_workspace(const Asked& asked, const ApplyLandlock& wall, const LandlockRule& workspace,
                     Answer& answer) {
  const auto inside = std::ranges::find_if(wall.rules, [&workspace](const LandlockRule& rule) {
    return rule.key.starts_with("mounts") && !rule.writable && is_below(rule.path, workspace.path);
  });
  if (inside == wall.rules.end())
    offer_writing(asked, "workspace: {mode: rw}", answer);
  else
    answer.hint = "it can be  workspace: {mode: rw}  once " + inside->key +
                  ", which is in it, is writable or gone";
}

/// Of a path of the host's that no rule opens.
void offer_rule(const Asked& asked, const ApplyLandlock& wall, const std::string& path,
                bool missing, Answer& answer) {
  const std::string& at = asked.profile.workspace.at;
  const auto shown = std::ranges::find(wall.rules, kWorkspaceRule, &LandlockRule::key);
  if (shown != wall.rules.end() && is_below(path, at))
    answer.hint = "without namespaces the workspace is where the host has it: " +
                  printable(shown->path + path.substr(at.size()));
  else if (missing || is_below(path, "/proc") || holds_others(asked, wall, path, false))
    return;
  else if (asked.host.real_path && asked.host.real_path(path).empty())
    answer.hint = kOutOfReach;
  else if (is_below(path, "/dev") && asked.host.is_device && asked.host.is_device(path))
    answer.allow_with = "devices: [" + yaml_word(path.substr(sizeof "/dev/" - 1)) + "]";
  else
    answer.allow_with = "mounts: [{bind: " + yaml_word(path) + ", at: " + yaml_word(path) + "}]";
}

}  // namespace

std::string on_host(const Asked& asked, std::string path) {
  if (!asked.host.real_path || is_below(path, "/proc")) return path;
  const std::string real = asked.host.real_path(path);
  return real.empty() || is_below(real, "/proc") ? path : real;
}

Answer shared_path(const Asked& asked, const Found& found, const ApplyLandlock& wall,
                   const std::string& path) {
  Answer answer;
  const bool workspace = found.rule != nullptr && found.rule->key == kWorkspaceRule;
  if (workspace) {
    decide_by_mode(asked, answer);
  } else if (found.rule != nullptr) {
    answer.key = found.rule->key;
    answer.origin = found.rule->origin;
  }
  answer.verdict = found.verdict;
  answer.what = found.what;
  answer.because = found.step->reason;
  const bool missing = !found.source.empty() && asked.lacks(found.source, false);
  if (found.verdict == Verdict::denied)
    offer_rule(asked, wall, path, missing, answer);
  else if (found.verdict == Verdict::partly && workspace)
    offer_workspace(asked, wall, *found.rule, answer);
  else if (found.verdict == Verdict::partly && is_own_target(asked.profile, answer.key, path))
    answer.hint = "write mode: rw in that entry";
  else if (found.verdict == Verdict::partly && !missing && !is_below(path, "/proc") &&
           !holds_others(asked, wall, path, true))
    offer_writing(
        asked, "mounts: [{bind: " + yaml_word(path) + ", at: " + yaml_word(path) + ", mode: rw}]",
        answer);
  if (missing) say_missing(found.source, answer);
  return answer;
}

}  // namespace sbx::plan
