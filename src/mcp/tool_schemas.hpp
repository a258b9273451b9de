// The JSON Schemas of what the tools give, and what every run_* tool takes beside its code. Texts,
// as the table of tools has them. Pure.
#pragma once

#include <string_view>

namespace sbx::mcp {

inline constexpr std::string_view kRunOptions = R"(
"timeout": {"type": "string", "description": "wall clock, such as 10s"},
"cpu_time": {"type": "string", "description": "processor time, such as 5s"},
"idle": {"type": "string", "description": "time without output"},
"memory": {"type": "string", "description": "of all processes together, such as 256M"},
"pids": {"type": "integer", "minimum": 1, "description": "processes and threads at once"},
"output": {"type": "string", "description": "bytes of each of stdout and stderr, such as 64K; the middle of more is left out [256K]"},
"stdin": {"type": "string", "description": "what the program reads; nothing when it is missing"},
"env": {"type": "object", "additionalProperties": {"type": "string"}, "description": "more variables"},
"workdir": {"type": "string", "description": "an absolute folder inside the sandbox"})";

inline constexpr std::string_view kRunResult = R"json({
"type": "object",
"required": ["run", "status", "reason", "exit_code", "signal", "stdout", "stderr", "wall_ms", "cpu_ms",
  "memory_peak_bytes", "denials", "changes", "artifacts", "degraded", "warnings"],
"properties": {
  "run": {"type": "string", "description": "the run's id"},
  "status": {"enum": ["ok", "nonzero", "signal", "timeout", "cpu_limit", "idle_timeout", "oom",
    "output_limit", "disk_limit", "seccomp", "interrupted", "not_found", "not_executable", "setup_error",
    "internal_error"]},
  "reason": {"type": "string", "description": "how it ended, in words"},
  "exit_code": {"type": ["integer", "null"]},
  "signal": {"type": ["integer", "null"]},
  "stdout": {"$ref": "#/$defs/stream"},
  "stderr": {"$ref": "#/$defs/stream"},
  "wall_ms": {"type": ["number", "null"]},
  "cpu_ms": {"type": ["number", "null"], "description": "user and system"},
  "memory_peak_bytes": {"type": ["integer", "null"]},
  "denials": {
    "type": ["array", "null"],
    "description": "what the sandbox refused; null: nobody could listen",
    "items": {
      "type": "object",
      "required": ["operation", "target", "count", "allow_with"],
      "properties": {
        "operation": {"type": "string"},
        "target": {"type": ["string", "null"]},
        "count": {"type": "integer"},
        "allow_with": {"type": ["string", "null"], "description": "the operator's profile would allow it with"}
      }
    }
  },
  "changes": {
    "type": ["object", "null"],
    "description": "in the session's workspace; null: it has none of its own",
    "required": ["added", "modified", "deleted", "kept", "conflicts"],
    "properties": {
      "added": {"type": "integer"}, "modified": {"type": "integer"}, "deleted": {"type": "integer"},
      "kept": {"type": "boolean", "description": "false: the next call does not see them"},
      "conflicts": {"type": "array", "items": {"$ref": "#/$defs/conflict"}}
    }
  },
  "artifacts": {"type": "array", "items": {"$ref": "#/$defs/artifact"}},
  "degraded": {"type": "array", "items": {"type": "string"}, "description": "controls that this host lacks"},
  "warnings": {"type": "array", "items": {"type": "string"}}
},
"$defs": {
  "stream": {
    "type": "object",
    "required": ["bytes", "truncated"],
    "properties": {
      "text": {"type": "string"}, "base64": {"type": "string", "description": "what is no UTF-8"},
      "bytes": {"type": ["integer", "null"], "description": "that the program wrote"},
      "truncated": {"type": ["boolean", "null"]}
    }
  },
  "conflict": {
    "type": "object", "required": ["path", "why"],
    "properties": {"path": {"type": "string"}, "why": {"type": "string"}}
  },
  "artifact": {
    "type": "object", "required": ["path", "bytes", "sha256", "media_type", "uri"],
    "properties": {
      "path": {"type": "string"}, "bytes": {"type": "integer"}, "sha256": {"type": "string"},
      "media_type": {"type": "string"}, "uri": {"type": "string"}
    }
  }
}
})json";

inline constexpr std::string_view kReadResult = R"json({
"type": "object",
"required": ["path", "size", "offset", "bytes", "whole"],
"properties": {
  "path": {"type": "string"},
  "size": {"type": "integer", "description": "of the file"},
  "offset": {"type": "integer", "description": "where what was read begins"},
  "bytes": {"type": "integer", "description": "that were read"},
  "whole": {"type": "boolean", "description": "false: there is more of the file"},
  "media_type": {"type": "string", "description": "of an image"},
  "text": {"type": "string"},
  "base64": {"type": "string", "description": "what is no UTF-8"}
}
})json";

inline constexpr std::string_view kWriteResult = R"json({
"type": "object",
"required": ["path", "bytes", "replaced"],
"properties": {
  "path": {"type": "string"}, "bytes": {"type": "integer"},
  "replaced": {"type": "boolean", "description": "there was a file of that name"}
}
})json";

inline constexpr std::string_view kListResult = R"json({
"type": "object",
"required": ["files", "truncated"],
"properties": {
  "files": {
    "type": "array",
    "items": {
      "type": "object",
      "required": ["path", "kind"],
      "properties": {
        "path": {"type": "string"},
        "kind": {"enum": ["file", "folder", "symlink", "other"]},
        "size": {"type": "integer", "description": "of files"},
        "target": {"type": "string", "description": "of symlinks"}
      }
    }
  },
  "truncated": {"type": "boolean", "description": "there are more"}
}
})json";

inline constexpr std::string_view kDiffResult = R"json({
"type": "object",
"required": ["added", "modified", "deleted", "bytes", "changes", "omitted", "patch", "truncated"],
"properties": {
  "added": {"type": "integer"}, "modified": {"type": "integer"}, "deleted": {"type": "integer"},
  "bytes": {"type": "integer", "description": "of new contents"},
  "changes": {"type": "array", "items": {"type": "object", "required": ["change", "before", "after"]}},
  "omitted": {"type": "array", "items": {"type": "object", "required": ["why"]}},
  "patch": {"type": "string", "description": "as git apply takes it"},
  "truncated": {"type": "boolean", "description": "the patch or the list is cut"}
}
})json";

inline constexpr std::string_view kApplyResult = R"json({
"type": "object",
"required": ["applied", "already", "conflicts", "omitted"],
"properties": {
  "applied": {"type": "integer"}, "already": {"type": "integer", "description": "that the folder had"},
  "conflicts": {"type": "array", "items": {"type": "object", "required": ["why"],
    "properties": {"path": {"type": "string"}, "path_base64": {"type": "string"}, "why": {"type": "string"}}}},
  "omitted": {"type": "array", "description": "what no change can be made of, whatever the paths",
    "items": {"type": "object", "required": ["why"],
    "properties": {"path": {"type": "string"}, "path_base64": {"type": "string"}, "why": {"type": "string"}}}}
}
})json";

inline constexpr std::string_view kCollectResult = R"json({
"type": "object",
"required": ["artifacts", "warnings"],
"properties": {
  "artifacts": {
    "type": "array",
    "items": {
      "type": "object", "required": ["path", "bytes", "sha256", "media_type", "uri"],
      "properties": {
        "path": {"type": "string"}, "bytes": {"type": "integer"}, "sha256": {"type": "string"},
        "media_type": {"type": "string"}, "uri": {"type": "string"}
      }
    }
  },
  "warnings": {"type": "array", "items": {"type": "string"}}
}
})json";

}  // namespace sbx::mcp
