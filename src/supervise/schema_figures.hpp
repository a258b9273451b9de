// The figures that the schemas of the result and of a live run have in common (json_figures.cpp
// writes them).
#pragma once

#include <string_view>

namespace sbx::supervise {

/// Members of "properties", without a comma behind the last.
inline constexpr std::string_view kFigures = R"json(    "cpu_ms": {
      "type": "object",
      "required": ["user", "system", "throttled"],
      "properties": {
        "user": {"type": ["number", "null"]},
        "system": {"type": ["number", "null"]},
        "throttled": {"type": ["number", "null"], "description": "time held back by limits.cpus"}
      }
    },
    "io": {
      "type": "object",
      "required": ["read_bytes", "write_bytes"],
      "properties": {
        "read_bytes": {"type": ["integer", "null"]},
        "write_bytes": {"type": ["integer", "null"]}
      }
    },
    "pressure": {
      "type": "object",
      "required": ["cpu", "memory", "io"],
      "description": "time that was spent waiting for it",
      "properties": {
        "cpu": {"$ref": "#/$defs/waits"},
        "memory": {"$ref": "#/$defs/waits"},
        "io": {"$ref": "#/$defs/waits"}
      }
    })json";

/// Members of "$defs" that they need.
inline constexpr std::string_view kFigureParts = R"json(    "waits": {
      "type": "object",
      "required": ["some_us", "full_us"],
      "properties": {
        "some_us": {"type": ["integer", "null"], "description": "by some of the processes"},
        "full_us": {"type": ["integer", "null"], "description": "by all of them at once"}
      }
    })json";

}  // namespace sbx::supervise
