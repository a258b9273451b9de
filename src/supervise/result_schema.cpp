// The two schemas as text. Every key that result_json.cpp or events.cpp writes stands here.
#include "supervise/result_json.hpp"

namespace sbx::supervise {

std::string_view result_schema() {
  return R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:sbx:schema:result:1",
  "title": "Result of one sbx run",
  "description": "Fields are only ever added. null: this host, or this run, did not measure it.",
  "type": "object",
  "required": ["schema", "id", "profile", "argv", "status", "reason", "phase", "exit_code", "signal",
    "started_at", "wall_ms", "setup_ms", "cpu_ms", "memory", "pids", "io", "pressure", "output",
    "denials", "network", "changes", "artifacts", "redactions", "isolation", "warnings"],
  "properties": {
    "schema": {"const": "sbx.result/1"},
    "id": {"type": "string", "description": "the run's id"},
    "profile": {
      "type": "object",
      "required": ["name", "sha256"],
      "properties": {
        "name": {"type": "string"},
        "sha256": {"type": ["string", "null"],
          "description": "over every file and flag that made the profile"}
      }
    },
    "argv": {"type": "array", "items": {"type": "string"}},
    "status": {
      "enum": ["ok", "nonzero", "signal", "timeout", "cpu_limit", "idle_timeout", "oom",
        "output_limit", "disk_limit", "seccomp", "interrupted", "not_found", "not_executable",
        "setup_error", "internal_error"],
      "description": "what happened, decided from evidence"
    },
    "reason": {
      "type": "object",
      "required": ["code", "text", "limit", "observed"],
      "properties": {
        "code": {"type": "string"},
        "text": {"type": "string", "description": "for a person"},
        "limit": {"type": ["string", "null"], "description": "as in the profile"},
        "observed": {"type": ["string", "null"]}
      }
    },
    "phase": {"enum": ["setup", "run"], "description": "setup: the payload never ran"},
    "exit_code": {"type": ["integer", "null"], "description": "the payload's own"},
    "signal": {"type": ["integer", "null"], "description": "the one that ended the payload"},
    "started_at": {"type": "string", "format": "date-time"},
    "wall_ms": {"type": ["number", "null"], "description": "from exec to the end of the tree"},
    "setup_ms": {"type": "number", "description": "from the start of sbx to exec"},
    "cpu_ms": {
      "type": "object",
      "required": ["user", "system", "throttled"],
      "properties": {
        "user": {"type": ["number", "null"]},
        "system": {"type": ["number", "null"]},
        "throttled": {"type": ["number", "null"], "description": "time held back by limits.cpus"}
      }
    },
    "memory": {
      "type": "object",
      "required": ["peak_bytes", "limit_bytes", "oom_kills", "high_events"],
      "properties": {
        "peak_bytes": {"type": ["integer", "null"]},
        "limit_bytes": {"type": ["integer", "null"], "description": "null also when there is none"},
        "oom_kills": {"type": ["integer", "null"]},
        "high_events": {"type": ["integer", "null"],
          "description": "how often it was slowed down for limits.memory_high"}
      }
    },
    "pids": {
      "type": "object",
      "required": ["peak", "limit_hits"],
      "properties": {
        "peak": {"type": ["integer", "null"]},
        "limit_hits": {"type": ["integer", "null"], "description": "forks that were refused"}
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
    },
    "output": {
      "type": "object",
      "required": ["stdout", "stderr"],
      "properties": {
        "stdout": {"$ref": "#/$defs/stream"},
        "stderr": {"$ref": "#/$defs/stream"}
      }
    },
    "denials": {
      "type": ["array", "null"],
      "items": {
        "type": "object",
        "properties": {
          "kind": {"type": "string"}, "operation": {"type": "string"},
          "target": {"type": ["string", "null"]}, "syscall": {"type": ["string", "null"]},
          "pid": {"type": ["integer", "null"]}, "comm": {"type": ["string", "null"]},
          "count": {"type": "integer"}, "allow_with": {"type": ["string", "null"]}
        }
      }
    },
    "network": {
      "type": "object",
      "required": ["mode", "connections"],
      "properties": {
        "mode": {"enum": ["none", "host", "filtered"]},
        "connections": {
          "type": ["array", "null"],
          "items": {
            "type": "object",
            "properties": {
              "host": {"type": "string"}, "port": {"type": "integer"},
              "verdict": {"type": "string"}, "count": {"type": "integer"},
              "bytes": {"type": ["integer", "null"]}
            }
          }
        }
      }
    },
    "changes": {
      "type": ["object", "null"],
      "properties": {
        "added": {"type": "integer"}, "modified": {"type": "integer"},
        "deleted": {"type": "integer"}, "bytes": {"type": "integer"}, "run": {"type": "string"}
      }
    },
    "artifacts": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "path": {"type": "string"}, "bytes": {"type": "integer"}, "sha256": {"type": "string"},
          "media_type": {"type": "string"}
        }
      }
    },
    "redactions": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {"secret": {"type": "string"}, "count": {"type": "integer"}}
      }
    },
    "isolation": {
      "type": "object",
      "required": ["tier", "namespaces", "cgroup", "seccomp", "landlock_abi", "user", "required",
        "enforced", "degraded"],
      "properties": {
        "tier": {"type": "string"},
        "namespaces": {"type": "array", "items": {"type": "string"}},
        "cgroup": {"enum": ["v2", "v1", "none"]},
        "seccomp": {"type": "string"},
        "landlock_abi": {"type": "integer", "description": "0: not in use"},
        "user": {"type": "string", "description": "uid:gid inside"},
        "required": {"type": "array", "items": {"type": "string"}},
        "enforced": {"type": "array", "items": {"type": "string"}},
        "degraded": {"type": "array", "items": {"type": "string"}},
        "approximate": {"type": "array", "items": {"type": "string"},
          "description": "of degraded: those that something weaker stands in for"}
      }
    },
    "warnings": {"type": "array", "items": {"type": "string"}}
  },
  "$defs": {
    "waits": {
      "type": "object",
      "required": ["some_us", "full_us"],
      "properties": {
        "some_us": {"type": ["integer", "null"], "description": "by some of the processes"},
        "full_us": {"type": ["integer", "null"], "description": "by all of them at once"}
      }
    },
    "stream": {
      "type": "object",
      "required": ["bytes", "truncated", "sha256"],
      "description": "text or base64 only with --json; a cut shows as [sbx: N bytes dropped]",
      "properties": {
        "text": {"type": "string"},
        "base64": {"type": "string", "contentEncoding": "base64"},
        "bytes": {"type": ["integer", "null"], "description": "written by the payload"},
        "truncated": {"type": ["boolean", "null"]},
        "sha256": {"type": ["string", "null"], "description": "over all bytes, dropped ones too"}
      }
    }
  }
}
)json";
}

std::string_view event_schema() {
  return R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:sbx:schema:event:1",
  "title": "One line of the sbx event stream",
  "description": "No result line means that sbx itself died. A gap in seq: output events were dropped because the reader took nothing for five seconds.",
  "type": "object",
  "required": ["v", "seq", "t_ms", "type"],
  "properties": {
    "v": {"const": 1},
    "seq": {"type": "integer", "description": "from 0"},
    "t_ms": {"type": "integer", "description": "since the start of sbx"},
    "type": {"type": "string", "description": "more types may come; skip unknown ones"}
  },
  "oneOf": [
    {
      "properties": {"type": {"const": "start"},
        "id": {"type": "string", "description": "the run's id, for sbx kill and the others"},
        "pid": {"type": "integer", "description": "of init, on the host"}},
      "required": ["id", "pid"]
    },
    {
      "properties": {"type": {"enum": ["stdout", "stderr"]}, "text": {"type": "string"},
        "base64": {"type": "string", "contentEncoding": "base64"}},
      "oneOf": [{"required": ["text"]}, {"required": ["base64"]}]
    },
    {
      "properties": {"type": {"const": "signal_sent"}, "signal": {"type": "integer"},
        "reason": {"enum": ["forwarded", "interrupted", "wall_limit", "cpu_limit", "idle_limit",
          "memory_limit", "output_limit", "killed"]}},
      "required": ["signal", "reason"]
    },
    {
      "properties": {"type": {"const": "exit"}, "exit_code": {"type": ["integer", "null"]},
        "signal": {"type": ["integer", "null"]}},
      "required": ["exit_code", "signal"]
    },
    {
      "properties": {"type": {"const": "result"},
        "result": {"type": "object", "description": "the result object, sbx.result/1"}},
      "required": ["result"]
    },
    {
      "properties": {"type": {"const": "usage"}, "cpu_ms": {"type": "object"},
        "memory": {"type": "object"}, "pids": {"type": "object"}, "io": {"type": "object"},
        "pressure": {"type": "object"}},
      "required": ["cpu_ms", "memory", "pids", "io", "pressure"],
      "description": "every events.usage_interval; each figure as in sbx schema live"
    },
    {
      "properties": {"type": {"const": "warning"},
        "code": {"enum": ["memory_high"], "description": "memory_high: limits.memory_high was crossed"},
        "text": {"type": "string", "description": "for a person"}},
      "required": ["code", "text"],
      "description": "when it happens, and once; how often is in the result's warnings"
    },
    {
      "properties": {"type": {"enum": ["denial", "artifact"]}}
    }
  ]
}
)json";
}

}  // namespace sbx::supervise
