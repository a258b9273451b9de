// What the lists of a profile's `seccomp` section may say, entry by entry. Pure.
//
// It is decided here alone: the checks of a profile ask with the place of each entry at hand, and
// build_policy() asks again, for the requests that no profile wrote as they are.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "seccomp/request.hpp"

namespace sbx::seccomp {

/// The values of all `args` together: each takes up to ten instructions of the filter, which may
/// have 4096 (BPF_MAXINSNS).
inline constexpr std::size_t kMostValues = 256;

// Each gives an Error of kind profile with a hint, whose `what` begins with the entry.

/// An entry of `allow` or `deny` ("@group" or a call's name) means something.
Result<void> check_name(std::string_view entry);
/// An entry of `allow`: some calls stay denied whatever the profile says (namespaces, the mount
/// family, foreign tables).
Result<void> check_allow(std::string_view entry);
/// An entry of `deny`: the command itself is started by execve.
Result<void> check_deny(std::string_view entry);
/// All of `allow`: execve is among it.
Result<void> check_start(std::span<const std::string> allow);
/// An entry of `args`: it must have an effect, now or in a profile that extends this one. `before`:
/// how many values the entries in front of it have.
Result<void> check_narrowed(const ArgAllow& entry, std::size_t before,
                            std::span<const std::string> allow, std::span<const std::string> deny);

/// All of it; the first Error.
Result<void> check_request(const Request& request);

}  // namespace sbx::seccomp
