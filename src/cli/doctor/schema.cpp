// The schema of `sbx doctor --json` as text.
#include "cli/doctor/examination.hpp"

namespace sbx::cli::doctor {

std::string doctor_schema() {
  return R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:sbx:schema:doctor:1",
  "title": "What sbx doctor --json prints",
  "description": "Fields are only ever added. With --cgroup only schema and cgroup are there.",
  "type": "object",
  "required": ["schema", "cgroup"],
  "dependentRequired": {"tier": ["kernel", "uid", "container", "features", "refused_calls", "default", "with_less"]},
  "properties": {
    "schema": {"const": "sbx.doctor/1"},
    "tier": {"type": "string", "description": "what a run of the profile default gets here; none: it does not start"},
    "kernel": {"type": "string"},
    "uid": {"type": "integer"},
    "container": {"type": ["string", "null"], "description": "whose sandbox sbx seems to be in"},
    "features": {"type": "array", "items": {
      "type": "object",
      "required": ["name", "use", "needed", "verdict", "abi", "error", "cause", "fix"],
      "properties": {
        "name": {"type": "string"},
        "use": {"type": "string"},
        "needed": {"enum": ["always", "root", "sometimes"], "description": "root: by runs that root starts"},
        "verdict": {"enum": ["works", "refused", "untried"]},
        "abi": {"type": ["integer", "null"], "description": "of Landlock"},
        "error": {"type": ["string", "null"], "description": "the errno's name, or killed"},
        "cause": {"type": ["string", "null"], "description": "for a person"},
        "fix": {"type": ["string", "null"], "description": "for a person: what to try"}
      }
    }},
    "refused_calls": {"type": "array", "items": {
      "type": "object",
      "required": ["name", "error"],
      "properties": {"name": {"type": "string"}, "error": {"type": "string"}}
    }, "description": "system calls of a start that fail here whatever their arguments"},
    "cgroup": {
      "type": "object",
      "required": ["taken", "passed_over", "kernel", "limits"],
      "properties": {
        "taken": {"type": "array", "items": {"$ref": "#/$defs/home"}},
        "passed_over": {"type": "array", "items": {"$ref": "#/$defs/home"}},
        "kernel": {"type": "object", "additionalProperties": {"type": "string"},
          "description": "a controller that no group has, and why"},
        "limits": {"type": "object", "additionalProperties": {"type": "boolean"},
          "description": "a key of limits, and whether it holds here"}
      }
    },
    "default": {
      "type": "object",
      "required": ["starts", "tier", "degraded", "setup_ms", "error"],
      "properties": {
        "starts": {"type": "boolean"},
        "tier": {"type": "string"},
        "degraded": {"type": "array", "items": {"type": "string"}},
        "setup_ms": {"type": ["number", "null"]},
        "error": {"type": ["string", "null"], "description": "for a person"}
      },
      "description": "what came of running true under it, from the current directory"
    },
    "with_less": {
      "type": ["object", "null"],
      "required": ["degrade", "tier", "degraded", "setup_ms"],
      "properties": {
        "degrade": {"type": "array", "items": {"type": "string"}},
        "tier": {"type": "string"},
        "degraded": {"type": "array", "items": {"type": "string"}},
        "setup_ms": {"type": "number"}
      },
      "description": "null, or how it starts all the same with these words of --degrade"
    }
  },
  "$defs": {
    "home": {
      "type": "object",
      "required": ["version", "group", "controllers"],
      "properties": {
        "version": {"enum": [1, 2]},
        "group": {"type": "string"},
        "controllers": {"type": "array", "items": {"type": "string"}},
        "problem": {"type": "string"},
        "fix": {"type": ["string", "null"]}
      }
    }
  }
}
)json";
}

}  // namespace sbx::cli::doctor
