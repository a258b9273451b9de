// The programs that are compiled together with sbx: which requests they are for, and the arrays
// that the generator (generate.cpp) writes at build time.
#pragma once

#include <linux/filter.h>

#include <array>
#include <span>

#include "seccomp/build.hpp"

namespace sbx::seccomp {

/// The requests that the built-in profiles make, one for each `on_deny`: the default lists, and
/// what `strict` denies besides.
inline constexpr std::array kPrecompiledModes{OnDeny::fail, OnDeny::kill, OnDeny::log};

inline Request precompiled_request(OnDeny mode) {
  Request request{.on_deny = mode};
  if (mode == OnDeny::kill) request.deny = {"seccomp"};
  return request;
}

struct Precompiled {
  OnDeny on_deny = OnDeny::fail;
  std::span<const sock_filter> program;
};

/// One entry for each of kPrecompiledModes.
std::span<const Precompiled> precompiled();

}  // namespace sbx::seccomp
