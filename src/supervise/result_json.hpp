// The schemas of what the supervisor writes, kept beside the writer; a test compares the two.
#pragma once

#include <string>

namespace sbx::supervise {

/// JSON Schema (2020-12) of the result object: `sbx schema result`.
std::string result_schema();
/// JSON Schema (2020-12) of one line of the event stream: `sbx schema event`.
std::string event_schema();

}  // namespace sbx::supervise
