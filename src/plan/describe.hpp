// Words for steps and plans: one text for explain, the log and failure reports.
#pragma once

#include <string>
#include <string_view>

#include "plan/plan.hpp"

namespace sbx::plan {

/// "host", "clone", "attend", "init", "payload", "guard".
std::string_view phase_name(Phase phase);
/// One line without the reason: "bind /usr read-only".
std::string describe(const Action& action);
/// The whole plan for a person: steps numbered, each with its reason, then what is supervised.
std::string describe_text(const Plan& plan);
/// The same as one JSON object (a line).
std::string describe_json(const Plan& plan);

}  // namespace sbx::plan
