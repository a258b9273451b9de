// The event stream's schema as text. Every key that events.cpp writes stands here.
#include "supervise/result_json.hpp"

namespace sbx::supervise {

std::string event_schema() {
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
          "memory_limit", "output_limit", "killed", "filter",
          "git_protect", "secret_leaked"]}},
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
      "properties": {"type": {"const": "denial"}, "kind": {"enum": ["syscall", "network"]},
        "reason": {"type": ["string", "null"]}, "operation": {"type": "string"}, "target": {"type": ["string", "null"]},
        "syscall": {"type": ["string", "null"]}, "pid": {"type": ["integer", "null"]},
        "comm": {"type": ["string", "null"]}, "allow_with": {"type": ["string", "null"]}},
      "required": ["kind", "operation", "target", "syscall", "pid", "comm", "allow_with"],
      "description": "the first of its kind; the result counts them"
    },
    {
      "properties": {"type": {"const": "connection"}, "host": {"type": "string"},
        "port": {"type": ["integer", "null"]}, "protocol": {"enum": ["tcp", "udp"]},
        "verdict": {"enum": ["allowed", "denied", "failed", "limited", "published"]},
        "reason": {"type": ["string", "null"]}, "count": {"type": "integer"},
        "bytes": {"type": "integer"}, "sent": {"type": "integer"}, "received": {"type": "integer"}},
      "required": ["host", "port", "protocol", "verdict"],
      "description": "the first of its kind, before it has carried anything; the result counts them"
    },
    {
      "properties": {"type": {"const": "artifact"}, "path": {"type": "string"},
        "path_base64": {"type": "string"}, "bytes": {"type": "integer"},
        "sha256": {"type": "string"}, "media_type": {"type": "string"}},
      "required": ["bytes", "sha256", "media_type"],
      "oneOf": [{"required": ["path"]}, {"required": ["path_base64"]}],
      "description": "a file that is kept; each as in the result"
    }
  ]
}
)json";
}

}  // namespace sbx::supervise
