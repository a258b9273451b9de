// The parts of the page around the artifacts, each a piece of HTML. Pure. Empty: there is nothing
// to tell.
#pragma once

#include <string>

#include "report/facts.hpp"
#include "report/report.hpp"

namespace sbx::report {

/// The command, how it ended and why.
std::string headline_of(const Facts& facts);

/// Time, memory, processes and what else is one number.
std::string key_figures_of(const Facts& facts, const Limits& limits);

/// The plots, and the same as a table.
std::string usage_of(const Report& report, const Facts& facts);

/// What the payload wrote on its two streams.
std::string output_of(const Report& report, const Facts& facts);

/// Changes of the workspace, masked secrets.
std::string kept_of(const Facts& facts);

/// Which walls stood, what they refused.
std::string isolation_of(const Facts& facts);
std::string denials_of(const Facts& facts);
std::string warnings_of(const Facts& facts);

}  // namespace sbx::report
