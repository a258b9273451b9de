// Rules of one call usually stand together, so the last look-up is remembered.
#include "seccomp/grouped.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "seccomp/calls.hpp"

namespace sbx::seccomp {
namespace {

std::unexpected<Error> wrong_rule(const Rule& rule, const std::string& why) {
  return std::unexpected(
      Error{ErrorKind::internal, "seccomp policy: rule for \"" + rule.call + "\": " + why});
}

/// Calls by name; the table is in the order of the groups, and so are most policies.
class CallFinder {
 public:
  /// Null when the table does not have it.
  const Call* find(std::string_view name) {
    if (last_ && last_.call->name == name) return last_.call;
    if (const Call* next = following(); next != nullptr && next->name == name) {
      last_.call = next;
    } else {
      last_ = find_call(name);
    }
    return last_.call;
  }

 private:
  [[nodiscard]] const Call* following() const {
    if (!last_ || last_.call == &last_.group->calls.back()) return nullptr;
    return last_.call + 1;
  }
  CallFacts last_;
};

}  // namespace

Result<std::vector<CallRules>> group_by_call(const Policy& policy) {
  std::array<std::vector<const Rule*>, kLastNumber + 1> by_number;
  CallFinder finder;
  for (const Rule& rule : policy.rules) {
    const Call* call = finder.find(rule.call);
    if (call == nullptr || !call->exists()) return wrong_rule(rule, "unknown system call");
    for (const ArgTest& test : rule.tests) {
      if (test.index > 5) return wrong_rule(rule, "argument above 5");
    }
    by_number[call->number()].push_back(&rule);
  }
  std::vector<CallRules> calls;
  for (unsigned number = 0; number <= kLastNumber; ++number) {
    if (!by_number[number].empty()) calls.push_back({number, std::move(by_number[number])});
  }
  return calls;
}

}  // namespace sbx::seccomp
