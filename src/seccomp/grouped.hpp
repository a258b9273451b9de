// A policy's rules, call by call: what both compilers start from. Pure.
#pragma once

#include <vector>

#include "base/error.hpp"
#include "seccomp/policy.hpp"

namespace sbx::seccomp {

/// The rules of one call, in order; they live in the policy, which has to outlive this.
struct CallRules {
  unsigned number = 0;
  std::vector<const Rule*> rules;
  /// The answer does not depend on arguments: it is the first rule's.
  [[nodiscard]] bool plain() const { return rules.front()->tests.empty(); }
};

/// Ordered by number. Fails (kind internal) on a call that the table does not have and on an
/// argument above 5: a rule that would silently decide nothing.
Result<std::vector<CallRules>> group_by_call(const Policy& policy);

}  // namespace sbx::seccomp
