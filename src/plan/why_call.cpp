// --why syscall:NAME

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/machine.hpp"
#include "base/text.hpp"
#include "plan/why_parts.hpp"
#include "seccomp/advice.hpp"
#include "seccomp/check.hpp"
#include "seccomp/conditions.hpp"

namespace sbx::plan {
namespace {

using seccomp::CallFacts;
using seccomp::Standing;

/// Which entry of a list names the call; empty: none does.
std::optional<std::size_t> entry_for(const std::vector<std::string>& entries,
                                     const CallFacts& call) {
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (seccomp::covers(entries[i], call)) return i;
  return std::nullopt;
}

std::string indexed(std::string_view key, std::size_t index) {
  return std::string(key).append("[").append(std::to_string(index)).append("]");
}

/// An answer that entry `index` of `key` decides. Entries that nobody wrote, the default's, come
/// first in the list and have no place.
Answer decided_by_entry(const Asked& asked, std::string_view key, std::size_t size,
                        std::size_t index) {
  std::size_t written = 0;
  while (asked.profile.origins.contains(indexed(key, written))) ++written;
  if (index + written >= size) return asked.decided_by(indexed(key, index + written - size));
  Answer answer;
  answer.key = key;
  return answer;
}

std::string group_text(const CallFacts& call) {
  return std::string(call.group->name) + ": " + std::string(call.group->reason);
}

/// What a call that the profile denies meets; `but`: what holds of it in every mode.
void meet_denial(seccomp::OnDeny mode, const std::string& but, Answer& answer) {
  switch (mode) {
    case seccomp::OnDeny::fail:
      answer.what = "the call fails with EPERM";
      return;
    case seccomp::OnDeny::kill:
      answer.what = "the call ends the process";
      return;
    case seccomp::OnDeny::log:
      answer.verdict = Verdict::partly;
      answer.what = "the call goes through, and is listed in the result (on_deny: log)";
      if (!but.empty()) answer.what += ", but: " + but;
      return;
  }
}

Answer never(const seccomp::Request& request, const CallFacts& call) {
  Answer answer;
  const bool kill = request.on_deny == seccomp::OnDeny::kill && call.group->error == EPERM;
  answer.what =
      kill ? "the call ends the process" : "the call fails with " + errno_name(call.group->error);
  answer.because = group_text(call);
  return answer;
}

/// Tier `landlock`: the filter's own answer, when it leaves nothing of the call.
std::optional<Answer> closed(const seccomp::Request& request, const CallFacts& call) {
  for (const seccomp::SharedRule& rule : seccomp::shared_host_rules(request.shared_host)) {
    if (rule.call != call.call->name || !rule.tests.empty()) continue;
    Answer answer;
    const bool kill = request.on_deny == seccomp::OnDeny::kill && rule.error == EPERM;
    answer.what =
        kill ? "the call ends the process" : "the call fails with " + errno_name(rule.error);
    answer.because = "tier landlock: " +
                     std::string(seccomp::shared_host_reason(request.shared_host, call.call->name));
    if (!request.shared_host.online && (rule.error == EAFNOSUPPORT || rule.error == ENETUNREACH))
      answer.allow_with = "network: host";
    return answer;
  }
  return std::nullopt;
}

bool has_firm(const seccomp::ConditionedCall& row) {
  return std::ranges::any_of(row.conditions, [](const seccomp::Condition& condition) {
    return condition.denial == seccomp::Denial::firm;
  });
}

/// What holds of the call whatever the profile says of it. `firm`: under `log` as well.
std::vector<std::string> standing(const Asked& asked, const CallFacts& call, bool firm) {
  std::vector<std::string> parts;
  const auto* const row = seccomp::find_conditions(call.call->name);
  if (row != nullptr && (!firm || has_firm(*row))) parts.emplace_back(row->reason);
  if (const std::string_view shared =
          seccomp::shared_host_reason(asked.plan.seccomp.shared_host, call.call->name);
      !shared.empty())
    parts.emplace_back(shared);
  if (asked.plan.seccomp.no_huge_pages && !seccomp::asks_for_huge_page(call.call->name).empty())
    parts.emplace_back("no huge pages, which no memory limit counts here");
  if (asked.plan.seccomp.no_cores && !seccomp::sets_core_limit(call.call->name).empty())
    parts.emplace_back(
        "the limit on core files stays, and setting it does nothing (limits.rlimits.core)");
  return parts;
}

/// What holds for an allowed call all the same; empty: nothing. `key`: the profile's own, if any.
std::string conditions(const Asked& asked, const CallFacts& call, std::string& key) {
  std::vector<std::string> parts = standing(asked, call, false);
  const auto& args = asked.profile.seccomp.args;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i].call != call.call->name) continue;
    key = indexed("seccomp.args", i);
    parts.push_back("argument " + std::to_string(args[i].arg) + " only as " + key + " says");
  }
  return join(parts, "; ");
}

/// ": add_key, keyctl"; nothing for @default, which is no group of the table.
std::string calls_text(const seccomp::Group* group) {
  if (group == nullptr) return {};
  std::vector<std::string> names;
  names.reserve(group->calls.size());
  for (const seccomp::Call& call : group->calls) names.emplace_back(call.name);
  return ": " + join(names, ", ");
}

}  // namespace

Result<Answer> why_call(const Asked& asked, std::string_view name) {
  const CallFacts call = seccomp::find_call(name);
  if (!call) {
    auto known = seccomp::check_name(name);
    if (!known) {
      Error error = std::move(known).error();
      return bad_question(std::move(error.what), std::move(error.hint));
    }
    return bad_question(
        quote(name) + " is a group of calls" + calls_text(seccomp::find_group(name)),
        "ask for one call: syscall:ptrace");
  }
  if (!call.call->exists())
    return bad_question("there is no " + quote(name) + " on this machine",
                        "other machines have it; here other calls do what it does");
  const seccomp::Request& request = asked.plan.seccomp;
  if (call.group->standing == Standing::never) return never(request, call);
  if (auto answer = closed(request, call)) return *std::move(answer);
  const std::string still = join(standing(asked, call, true), "; ");
  if (const auto entry = entry_for(request.deny, call)) {
    Answer answer = decided_by_entry(asked, "seccomp.deny", request.deny.size(), *entry);
    meet_denial(request.on_deny, still, answer);
    answer.because = "seccomp.deny names it, which wins over seccomp.allow";
    answer.allow_with =
        seccomp::allowing_line(request, {call.call->number(), kOwnArchitecture, 0, {}});
    if (answer.allow_with.empty()) answer.hint = "take the entry out";
    return answer;
  }
  const auto entry = entry_for(request.allow, call);
  if (!entry) {
    Answer answer = asked.decided_by("seccomp.allow");
    meet_denial(request.on_deny, still, answer);
    answer.because = "seccomp.allow does not name it (" + group_text(call) + ")";
    answer.allow_with = "seccomp: {allow: [" + seccomp::allow_entry(call) + "]}";
    return answer;
  }
  std::string narrowed;
  const std::string but = conditions(asked, call, narrowed);
  Answer answer = narrowed.empty()
                      ? decided_by_entry(asked, "seccomp.allow", request.allow.size(), *entry)
                      : asked.decided_by(narrowed);
  answer.verdict = but.empty() ? Verdict::allowed : Verdict::partly;
  answer.what = but.empty() ? "the call goes through" : "the call goes through, but: " + but;
  answer.because = "seccomp.allow names it (" + group_text(call) + ")";
  return answer;
}

}  // namespace sbx::plan
