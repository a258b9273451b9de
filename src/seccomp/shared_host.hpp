// What a filter has to do by itself where no namespaces stand between payload and host (tier
// `landlock`): what Landlock does not look at, and a namespace would have made harmless. Pure data.
#pragma once

#include <string_view>
#include <vector>

#include "seccomp/policy.hpp"

namespace sbx::seccomp {

/// How the payload shares the host.
struct SharedHost {
  bool shared = false;  ///< false: it has namespaces of its own, and nothing below matters
  bool online = false;  ///< it may use the host's network; else it gets no socket but pairs
  bool own_id = false;  ///< it is a user of its own, to whom nothing on the host belongs
  bool operator==(const SharedHost&) const = default;
};

/// `call` answers `error` when every test holds; without tests always. Firm: no profile changes it.
struct SharedRule {
  std::string_view call;
  int error = 0;
  std::vector<ArgTest> tests{};
};

/// All rules for `how`, those of one call in the order in which they are tried.
std::vector<SharedRule> shared_host_rules(const SharedHost& how);

/// Why: one line for `explain`; empty: the tier says nothing of that call.
std::string_view shared_host_reason(const SharedHost& how, std::string_view call);

}  // namespace sbx::seccomp
