// From what the store has of a run to what its report is made of.
#pragma once

#include "artifacts/store.hpp"
#include "base/error.hpp"
#include "report/report.hpp"

namespace sbx::cli {

/// Reads artifacts from `store` when it is rendered.
Result<report::Report> report_of(artifacts::Opened& store, const artifacts::Run& run);

}  // namespace sbx::cli
