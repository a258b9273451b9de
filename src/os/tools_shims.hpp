// Programs that only pick the real one: pyenv and its relatives, rustup, asdf, mise.
#pragma once

#include <optional>
#include <string>

#include "base/host_facts.hpp"

namespace sbx::os {

/// What a shim would run: the program, or (when `problem` is not empty) why it would fail.
struct ShimTarget {
  std::string program{};
  std::string problem{};
};

/// Follows `program`, found as `name`, when it is a version manager's shim, by reading the files
/// that the manager reads. nullopt: it is no shim.
std::optional<ShimTarget> follow_shim(const std::string& program, const std::string& name,
                                      const HostFacts& facts);
/// The same for rustup's proxies. (tools_rustup.cpp)
std::optional<ShimTarget> follow_rustup(const std::string& program, const std::string& name,
                                        const HostFacts& facts);

}  // namespace sbx::os
