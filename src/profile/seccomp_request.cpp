#include "profile/seccomp_request.hpp"

namespace sbx::profile {

seccomp::Request seccomp_request(const Seccomp& section) {
  seccomp::Request request;
  switch (section.on_deny) {
    case OnDeny::fail:
      request.on_deny = seccomp::OnDeny::fail;
      break;
    case OnDeny::kill:
      request.on_deny = seccomp::OnDeny::kill;
      break;
    case OnDeny::log:
      request.on_deny = seccomp::OnDeny::log;
      break;
  }
  request.allow = section.allow;
  request.deny = section.deny;
  for (const ArgRule& rule : section.args) request.args.push_back({rule.call, rule.arg, rule.in});
  return request;
}

}  // namespace sbx::profile
