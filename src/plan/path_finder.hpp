// What the steps that make the root put at a path. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plan/plan.hpp"
#include "plan/why.hpp"

namespace sbx::plan {

/// The place that `path` means, as path_resolution(7) finds it, with the links that the plan makes;
/// others are the host's affair. Nothing: they lead in a circle.
std::optional<std::string> resolved(const Plan& plan, std::string_view path);

/// What is at a path.
struct Found {
  const Step* step = nullptr;
  Verdict verdict = Verdict::denied;
  std::string what{};
  std::string source{};  ///< of the host's, when it is that
  std::string model{};   ///< of the host's, when it begins as what that has: an overlay, a copy
  const LandlockRule* rule = nullptr;  ///< tier `landlock`: the one that opens it
};

/// What is at `path`, which is resolved; no step: nothing is.
Found what_is_at(const Plan& plan, const std::string& path);

}  // namespace sbx::plan
