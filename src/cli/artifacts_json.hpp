// Artifacts for programs: what `sbx artifacts ls --json` prints. Pure.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "artifacts/artifact.hpp"

namespace sbx::cli {

nlohmann::ordered_json artifact_json(const artifacts::Kept& kept);

/// The JSON Schema of a list of them, as one text.
std::string artifacts_schema();

}  // namespace sbx::cli
