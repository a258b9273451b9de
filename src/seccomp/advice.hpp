// For a denied call: what of it a person wants to see, and the line of a profile that would allow
// it. Pure.
#pragma once

#include <linux/seccomp.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "seccomp/build.hpp"
#include "seccomp/calls.hpp"

namespace sbx::seccomp {

/// What to write into `allow` for a call that the list lacks, as YAML: the call's group where that
/// is optional as a whole ("@debug", quoted), because its calls are of little use one by one.
std::string allow_entry(const CallFacts& call);

/// "seccomp: {allow: ["@debug"]}": with it in a profile that extends the present one, the same call
/// with the same arguments is allowed. Empty: no profile can allow it.
std::string allowing_line(const Request& request, const seccomp_data& call);

/// Changes `request` until it allows the call with these arguments; false, and nothing changed: no
/// profile can.
bool allow_call(Request& request, const seccomp_data& call);

/// What made `after` of `before`, as values of a profile's section: "deny: !replace [...]" and
/// "args: !replace [...]". What `after.allow` has more stands behind what `before` had.
struct Changes {
  std::vector<std::string> allow{};  ///< entries, as YAML
  std::string deny{};                ///< "!replace [...]"; empty: unchanged
  std::string args{};
};
Changes changes(const Request& before, const Request& after);

/// The argument that the call is denied for, as one would write it: "AF_PACKET", "CLONE_NEWUSER";
/// empty: the call by itself says all.
std::string argument_text(const seccomp_data& call);

}  // namespace sbx::seccomp
