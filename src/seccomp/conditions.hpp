// What an allowed call may not be asked for: the argument rules that hold in every policy. Pure
// data.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "seccomp/policy.hpp"

namespace sbx::seccomp {

/// How firmly a condition denies.
enum class Denial {
  firm,      ///< EPERM (or kill), also under `on_deny: log`: part of "whatever the profile"
  ordinary,  ///< as `on_deny` says
  unknown,   ///< EINVAL in every mode: a sub-command newer than our list, as an old kernel answers
};

/// The call is denied when every test holds.
struct Condition {
  Denial denial = Denial::ordinary;
  std::vector<ArgTest> tests;
  std::string_view twin{};  ///< a call that does the same: denied only where that one is not open
};

/// The conditions of one call, in the order they are tried, firm ones first.
struct ConditionedCall {
  std::string_view call;
  std::string_view reason;  ///< one line: what is denied and why
  std::vector<Condition> conditions;
};

/// Every call with conditions.
std::span<const ConditionedCall> conditioned_calls();

/// What asks for a huge page with `call`; empty: nothing does.
std::vector<ArgTest> asks_for_huge_page(std::string_view call);

/// What sets the limit on core files with `call`; empty: nothing does.
std::vector<ArgTest> sets_core_limit(std::string_view call);

/// The row for one call; null when it is allowed with any arguments.
const ConditionedCall* find_conditions(std::string_view call);

}  // namespace sbx::seccomp
