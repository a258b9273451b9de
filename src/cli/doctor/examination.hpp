// Everything that `sbx doctor` finds out about this host.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/feature.hpp"
#include "base/surroundings.hpp"
#include "cli/doctor/default_start.hpp"
#include "cli/doctor/limits.hpp"
#include "diagnose/causes.hpp"

namespace sbx::cli::doctor {

struct Finding {
  TriedFeature tried;
  diagnose::Cause cause{};  ///< empty: it works, or nobody knows
};

struct Examination {
  Surroundings around;
  Limits limits;
  std::vector<Finding> findings{};  ///< in the order of kFeatures
  DefaultStart start{};
  std::optional<DefaultStart> with_less{};  ///< where `start` fails: what degrading gives
};

/// Tries everything; some hundred milliseconds.
Examination examine();

std::string to_text(const Examination& found, bool colour);
std::string to_json(const Examination& found);
/// The JSON Schema of to_json().
std::string doctor_schema();

}  // namespace sbx::cli::doctor
