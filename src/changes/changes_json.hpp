// Kept changes for programs: what `sbx diff --json` and `sbx apply --json` print. Pure.
#pragma once

#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "changes/apply.hpp"
#include "changes/change.hpp"
#include "changes/diff_view.hpp"

namespace sbx::changes {

/// The run, and the sums of its changes.
nlohmann::ordered_json head_json(const ChangeSet& set, const Totals& sum);
/// One change, and what could not be kept, and why.
nlohmann::ordered_json change_json(const Change& change);
nlohmann::ordered_json omitted_json(std::span<const Omission> omitted);

/// An object of the first with every change, and what could not be kept, as one line: `take` gets
/// it change by change, as the text of all takes many times the memory that they take themselves.
void json_view(const ChangeSet& set, const TakeLines& take);

/// How many were applied, or what stood against it.
nlohmann::ordered_json applied_json(const ChangeSet& set, const Applied& applied);

/// The JSON Schema of the first, as one text.
std::string changes_schema();

}  // namespace sbx::changes
