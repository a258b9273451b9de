// From a request to a policy: which calls are allowed, and with which conditions. Pure.
#include "seccomp/build.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>

#include "seccomp/check.hpp"
#include "seccomp/conditions.hpp"

namespace sbx::seccomp {
namespace {

/// What the request decided for one call.
struct Verdict {
  bool allowed = false;
  bool denied = false;  ///< named by `deny`: stronger than `allow`
  std::vector<const ArgAllow*> narrowing{};
  [[nodiscard]] bool open() const { return allowed && !denied; }
  [[nodiscard]] bool wide_open() const { return open() && narrowing.empty(); }
};
using Verdicts = std::array<Verdict, kLastNumber + 1>;

template <class Mark>
void mark_entry(std::string_view entry, Mark mark) {
  const auto mark_here = [&mark](const Call& call) {
    if (call.exists()) mark(call);
  };
  if (const CallFacts found = find_call(entry)) return mark_here(*found.call);
  for (const Group& group : call_groups()) {
    if (!stands_for(entry, group)) continue;
    for (const Call& call : group.calls) mark_here(call);
  }
}

Verdicts decide(const Request& request) {
  Verdicts verdicts;
  for (const std::string& entry : request.allow)
    mark_entry(entry, [&](const Call& call) { verdicts[call.number()].allowed = true; });
  for (const std::string& entry : request.deny)
    mark_entry(entry, [&](const Call& call) { verdicts[call.number()].denied = true; });
  for (const ArgAllow& entry : request.args) {
    const Call& call = *find_call(entry.call).call;
    if (call.exists()) verdicts[call.number()].narrowing.push_back(&entry);
  }
  return verdicts;
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

/// What a call may not be asked for, as far as `wanted` says.
template <class Wanted>
void add_conditions(const Call& call, const Verdicts& verdicts, OnDeny mode, Wanted wanted,
                    std::vector<Rule>& rules) {
  const ConditionedCall* const row = find_conditions(call.name);
  if (row == nullptr) return;
  for (const Condition& condition : row->conditions) {
    if (!wanted(condition.denial)) continue;
    const CallFacts twin = find_call(condition.twin);
    if (twin && twin.call->exists() && verdicts[twin.call->number()].wide_open()) continue;
    Action action = denied_action(mode);
    if (condition.denial == Denial::firm) action = firm_action(mode, EPERM);
    if (condition.denial == Denial::unknown) action = firm_action(mode, EINVAL);
    rules.push_back({std::string(call.name), action, condition.tests});
  }
}

/// What no profile and no mode lets through. It comes first, or under `log` whatever logs would let
/// its cases through. True: nothing is left of the call.
bool add_firm(const Call& call, const Verdicts& verdicts, const Request& request,
              std::span<const SharedRule> shared, std::vector<Rule>& rules) {
  if (auto tests = asks_for_huge_page(call.name); request.no_huge_pages && !tests.empty())
    rules.push_back({std::string(call.name), {ActionKind::fail, ENOMEM}, std::move(tests)});
  if (auto tests = sets_core_limit(call.name); request.no_cores && !tests.empty())
    rules.push_back({std::string(call.name), {ActionKind::fail, 0}, std::move(tests)});
  add_conditions(
      call, verdicts, request.on_deny, [](Denial denial) { return denial == Denial::firm; }, rules);
  return add_shared_host(call, shared, request.on_deny, rules);
}

/// The rules of an allowed call: firm conditions, the profile's narrowing, other conditions, allow.
void add_allowed(const Call& call, const Verdicts& verdicts, const Request& request,
                 std::span<const SharedRule> shared, std::vector<Rule>& rules) {
  const OnDeny mode = request.on_deny;
  const std::string name(call.name);
  if (add_firm(call, verdicts, request, shared, rules)) return;
  for (const ArgAllow* entry : verdicts[call.number()].narrowing) {
    rules.push_back({name, denied_action(mode), outside(*entry)});
  }
  add_conditions(call, verdicts, mode, [](Denial denial) { return denial != Denial::firm; }, rules);
  rules.push_back({name, {ActionKind::allow}});
}

/// Those of a call that the request denies. Under `log` it goes through, and then no more of it
/// than of one that is allowed.
void add_denied(const Call& call, const Verdicts& verdicts, const Request& request,
                std::span<const SharedRule> shared, std::vector<Rule>& rules) {
  if (request.on_deny == OnDeny::log) {
    if (add_firm(call, verdicts, request, shared, rules)) return;
    add_conditions(
        call, verdicts, request.on_deny, [](Denial denial) { return denial == Denial::unknown; },
        rules);
  }
  rules.push_back({std::string(call.name), denied_action(request.on_deny)});
}

}  // namespace

Result<Policy> build_policy(const Request& request) {
  SBX_CHECK(check_request(request));
  const Verdicts verdicts = decide(request);
  Policy policy;
  policy.default_action = {ActionKind::fail, ENOSYS};
  policy.rules.reserve(kLastNumber);
  const std::vector<SharedRule> shared = shared_host_rules(request.shared_host);
  for (const Group& group : call_groups()) {
    for (const Call& call : group.calls) {
      if (!call.exists()) continue;
      const Verdict& verdict = verdicts[call.number()];
      if (group.standing == Standing::never) {
        policy.rules.push_back({std::string(call.name), firm_action(request.on_deny, group.error)});
      } else if (verdict.open() || is_closed(call, shared)) {
        add_allowed(call, verdicts, request, shared, policy.rules);
      } else {
        add_denied(call, verdicts, request, shared, policy.rules);
      }
    }
  }
  return policy;
}

bool may_use_keys(const Request& request) {
  // All that an entry can be named that covers one of them (covers()).
  constexpr std::array<std::string_view, 4> kEntries{"@keyring", "keyctl", "add_key",
                                                     "request_key"};
  return request.on_deny == OnDeny::log ||
         std::ranges::any_of(request.allow, [&](const std::string& entry) {
           return std::ranges::find(kEntries, entry) != kEntries.end();
         });
}

}  // namespace sbx::seccomp
