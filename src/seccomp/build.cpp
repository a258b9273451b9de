// From a request to a policy: which calls are allowed, and with which conditions. Pure.
#include "seccomp/build.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>

#include "base/text.hpp"
#include "seccomp/conditions.hpp"

namespace sbx::seccomp {
namespace {

std::unexpected<Error> profile_error(std::string what, std::string hint) {
  return std::unexpected(Error{ErrorKind::profile, std::move(what), {}, std::move(hint)});
}

std::unexpected<Error> unknown_name(std::string_view entry) {
  std::vector<std::string_view> names{kDefaultGroup};
  for (const Group& group : call_groups()) {
    names.push_back(group.name);
    for (const Call& call : group.calls) names.push_back(call.name);
  }
  const bool is_group = entry.starts_with('@');
  const std::string_view near = nearest_name(entry, names);
  std::string hint = near.empty() ? "groups start with @, such as @default; every other name is a "
                                    "system call of x86_64"
                                  : "did you mean " + std::string(near) + "?";
  return profile_error("unknown " + std::string(is_group ? "group" : "system call") + " \"" +
                           printable(entry) + "\"",
                       std::move(hint));
}

std::unexpected<Error> never_allowed(std::string_view entry, const Group& group) {
  return profile_error("seccomp.allow: " + std::string(entry) +
                           " stays denied whatever the profile says (" + std::string(group.name) +
                           ": " + std::string(group.reason) + ")",
                       "remove it from seccomp.allow");
}

/// What the request decided for one call.
struct Verdict {
  bool allowed = false;
  bool denied = false;  ///< named by `deny`: stronger than `allow`
  std::vector<const ArgAllow*> narrowing{};
  [[nodiscard]] bool open() const { return allowed && !denied; }
};
using Verdicts = std::array<Verdict, kLastNumber + 1>;

template <class Mark>
Result<void> mark_entry(std::string_view entry, Mark mark) {
  if (entry == kDefaultGroup) {
    for (const Group& group : call_groups()) {
      if (group.standing != Standing::allowed) continue;
      for (const Call& call : group.calls) SBX_CHECK(mark(call, group));
    }
    return {};
  }
  if (const Group* group = find_group(entry); group != nullptr) {
    for (const Call& call : group->calls) SBX_CHECK(mark(call, *group));
    return {};
  }
  const auto found = find_call(entry);
  if (!found) return unknown_name(entry);
  return mark(*found.call, *found.group);
}

Result<void> mark_lists(const Request& request, Verdicts& verdicts) {
  for (const std::string& entry : request.allow) {
    SBX_CHECK(mark_entry(entry, [&](const Call& call, const Group& group) -> Result<void> {
      if (group.standing == Standing::never) return never_allowed(entry, group);
      verdicts[call.number].allowed = true;
      return {};
    }));
  }
  for (const std::string& entry : request.deny) {
    SBX_CHECK(mark_entry(entry, [&](const Call& call, const Group&) -> Result<void> {
      verdicts[call.number].denied = true;
      return {};
    }));
  }
  return {};
}

Result<void> mark_args(const Request& request, Verdicts& verdicts) {
  for (const ArgAllow& entry : request.args) {
    const auto found = find_call(entry.call);
    if (!found) return unknown_name(entry.call);
    if (entry.arg > 5) {
      return profile_error(
          "seccomp.args: " + entry.call + " has no argument " + std::to_string(entry.arg),
          "arguments are counted from 0 to 5");
    }
    if (entry.in.empty()) {
      return profile_error("seccomp.args: no value is left for " + entry.call,
                           "name values in `in`, or put the call into seccomp.deny");
    }
    Verdict& verdict = verdicts[found.call->number];
    if (!verdict.allowed && !verdict.denied) {
      return profile_error(
          "seccomp.args: " + entry.call + " is not allowed, so its arguments cannot be narrowed",
          "put it into seccomp.allow, or remove the entry");
    }
    verdict.narrowing.push_back(&entry);
  }
  return {};
}

/// The answer of a call that the request denies.
Action denied_action(OnDeny mode) {
  switch (mode) {
    case OnDeny::fail:
      return {ActionKind::fail, EPERM};
    case OnDeny::kill:
      return {ActionKind::kill};
    case OnDeny::log:
      return {ActionKind::log};
  }
  return {ActionKind::kill};
}

/// The answer of what no mode lets through.
Action firm_action(OnDeny mode, int error) {
  const bool kill = mode == OnDeny::kill && error == EPERM;
  return kill ? Action{ActionKind::kill} : Action{ActionKind::fail, error};
}

/// "None of `in`": the argument differs from each value in both ways a 32-bit value may be passed.
std::vector<ArgTest> outside(const ArgAllow& entry) {
  constexpr std::uint64_t kSign = 0x80000000;
  std::vector<ArgTest> tests;
  for (const std::uint64_t value : entry.in) {
    tests.push_back({entry.arg, Compare::not_equal, value, 0, false});
    if (value <= 0xffffffff && (value & kSign) != 0) {
      tests.push_back({entry.arg, Compare::not_equal, value | 0xffffffff00000000, 0, false});
    }
  }
  return tests;
}

/// The tier's own rules for the call, firm in every mode; true: nothing is left of it.
bool add_shared_host(const Call& call, std::span<const SharedRule> shared, OnDeny mode,
                     std::vector<Rule>& rules) {
  for (const SharedRule& rule : shared) {
    if (rule.call != call.name) continue;
    rules.push_back({std::string(call.name), firm_action(mode, rule.error), rule.tests});
    if (rule.tests.empty()) return true;
  }
  return false;
}

bool is_closed(const Call& call, std::span<const SharedRule> shared) {
  return std::ranges::any_of(shared, [&call](const SharedRule& rule) {
    return rule.call == call.name && rule.tests.empty();
  });
}

/// The rules of an allowed call: firm conditions, the profile's narrowing, other conditions, allow.
/// Firm ones come first, or under `log` a narrowing that logs would let their cases through.
void add_allowed(const Call& call, const Verdict& verdict, const Request& request,
                 std::span<const SharedRule> shared, std::vector<Rule>& rules) {
  const OnDeny mode = request.on_deny;
  const std::string name(call.name);
  if (auto tests = asks_for_huge_page(call.name); request.no_huge_pages && !tests.empty())
    rules.push_back({name, {ActionKind::fail, ENOMEM}, std::move(tests)});
  const ConditionedCall* row = find_conditions(call.name);
  const auto add_conditions = [&](bool firm) {
    if (row == nullptr) return;
    for (const Condition& condition : row->conditions) {
      if ((condition.denial == Denial::firm) != firm) continue;
      Action action = denied_action(mode);
      if (condition.denial == Denial::firm) action = firm_action(mode, EPERM);
      if (condition.denial == Denial::unknown) action = firm_action(mode, EINVAL);
      rules.push_back({name, action, condition.tests});
    }
  };
  add_conditions(true);
  if (add_shared_host(call, shared, mode, rules)) return;
  for (const ArgAllow* entry : verdict.narrowing) {
    rules.push_back({name, denied_action(mode), outside(*entry)});
  }
  add_conditions(false);
  rules.push_back({name, {ActionKind::allow}});
}

}  // namespace

Result<void> check_name(std::string_view entry) {
  if (entry == kDefaultGroup || find_group(entry) != nullptr || find_call(entry)) return {};
  return unknown_name(entry);
}

Result<Policy> build_policy(const Request& request) {
  Verdicts verdicts;
  SBX_CHECK(mark_lists(request, verdicts));
  SBX_CHECK(mark_args(request, verdicts));
  if (!verdicts[find_call("execve").call->number].open()) {
    return profile_error("seccomp: execve is denied, but the command itself is started by it",
                         "allow execve; limits.pids bounds how many processes there can be");
  }
  Policy policy;
  policy.default_action = {ActionKind::fail, ENOSYS};
  policy.rules.reserve(kLastNumber);
  const std::vector<SharedRule> shared = shared_host_rules(request.shared_host);
  for (const Group& group : call_groups()) {
    for (const Call& call : group.calls) {
      const Verdict& verdict = verdicts[call.number];
      if (group.standing == Standing::never) {
        policy.rules.push_back({std::string(call.name), firm_action(request.on_deny, group.error)});
      } else if (verdict.open() || is_closed(call, shared)) {
        add_allowed(call, verdict, request, shared, policy.rules);
      } else {
        policy.rules.push_back({std::string(call.name), denied_action(request.on_deny)});
      }
    }
  }
  return policy;
}

std::vector<GroupInfo> list_groups() {
  std::vector<GroupInfo> groups{{kDefaultGroup,
                                 "what ordinary programs need: the union of the allowed groups",
                                 {},
                                 Standing::allowed}};
  for (const Group& group : call_groups()) {
    GroupInfo info{group.name, group.reason, {}, group.standing};
    for (const Call& call : group.calls) info.calls.push_back(call.name);
    if (group.standing == Standing::allowed) {
      groups.front().calls.insert(groups.front().calls.end(), info.calls.begin(), info.calls.end());
    }
    groups.push_back(std::move(info));
  }
  return groups;
}

}  // namespace sbx::seccomp
