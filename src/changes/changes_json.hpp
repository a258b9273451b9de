// Kept changes for programs: what `sbx diff --json` and `sbx apply --json` print. Pure.
#pragma once

#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "changes/apply.hpp"
#include "changes/change.hpp"

namespace sbx::changes {

/// The run and its sums; `each`: with every change, and what could not be kept.
nlohmann::ordered_json changes_json(const changes::ChangeSet& set, bool each);

/// What could not be kept, and why.
nlohmann::ordered_json omitted_json(std::span<const changes::Omission> omitted);

/// How many were applied, or what stood against it.
nlohmann::ordered_json applied_json(const changes::ChangeSet& set, const changes::Applied& applied);

/// The JSON Schema of the first, as one text.
std::string changes_schema();

}  // namespace sbx::changes
