// A program for a request: one of those compiled with sbx when it fits, else a new one.
#include "seccomp/build.hpp"
#include "seccomp/layout.hpp"
#include "seccomp/precompiled.hpp"

namespace sbx::seccomp {

Result<Filter> filter_for(const Request& request) {
  for (const Precompiled& entry : precompiled()) {
    if (request == precompiled_request(entry.on_deny)) return Filter(entry.program);
  }
  const Policy policy = SBX_TRY(build_policy(request));
  return Filter(SBX_TRY(layout(policy)));
}

}  // namespace sbx::seccomp
