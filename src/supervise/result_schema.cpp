// The result's schema as text. Every key that result_json.cpp writes stands here.
#include "supervise/result_json.hpp"
#include "supervise/schema_figures.hpp"

namespace sbx::supervise {

std::string result_schema() {
  return R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:sbx:schema:result:1",
  "title": "Result of one sbx run",
  "description": "Fields are only ever added. null: this host, or this run, did not measure it.",
  "type": "object",
  "required": ["schema", "id", "profile", "argv", "status", "reason", "phase", "exit_code", "signal",
    "started_at", "wall_ms", "setup_ms", "cpu_ms", "memory", "pids", "io", "pressure", "output",
    "denials", "network", "changes", "artifacts", "redactions", "isolation", "warnings", "undelivered",
    "timing"],
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
    "wall_ms": {"type": ["number", "null"], "description": "from just before exec, where cpu_ms begins, to the end of the tree"},
    "setup_ms": {"type": "number", "description": "from the start of sbx to where wall_ms begins"},
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
)json" + std::string(kFigures) +
         R"json(,
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
      "description": "what the filter and the network's allow list refused, or under on_deny: log would have; by the first of each kind. null: nobody could listen",
      "items": {
        "type": "object",
        "required": ["kind", "operation", "target", "syscall", "pid", "comm", "count", "passed",
          "allow_with"],
        "properties": {
          "kind": {"enum": ["syscall", "network"]},
          "operation": {"type": "string", "description": "what was tried: the call; of the network: lookup, connect, send"},
          "target": {"type": ["string", "null"],
            "description": "the argument that it was refused for: AF_PACKET; of the network: HOST:PORT"},
          "reason": {"type": ["string", "null"], "description": "of the network: why"},
          "syscall": {"type": ["string", "null"]},
          "pid": {"type": ["integer", "null"], "description": "inside, of the first who tried"},
          "comm": {"type": ["string", "null"], "description": "its program"},
          "count": {"type": "integer"},
          "passed": {"type": "boolean", "description": "it was let through: on_deny: log"},
          "allow_with": {"type": ["string", "null"],
            "description": "a line of a profile that allows it; null: no one line does"}
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
              "host": {"type": "string", "description": "the name that the payload asked for, or the address"},
              "port": {"type": ["integer", "null"], "description": "null: the name was only looked up"},
              "protocol": {"enum": ["tcp", "udp"]},
              "verdict": {"enum": ["allowed", "denied", "failed", "limited", "published"],
                "description": "failed: allowed and not reached; limited: by network.limits; published: from outside"},
              "reason": {"type": ["string", "null"], "description": "why it was not reached"},
              "count": {"type": "integer"},
              "bytes": {"type": "integer", "description": "both ways"},
              "sent": {"type": "integer", "description": "bytes that the payload sent"},
              "received": {"type": "integer", "description": "bytes that it received"}
            }
          }
        }
      }
    },
    "changes": {
      "type": ["object", "null"],
      "properties": {
        "added": {"type": "integer"}, "modified": {"type": "integer"},
        "deleted": {"type": "integer"}, "bytes": {"type": "integer"},
        "run": {"type": ["string", "null"]}, "applied": {"type": "boolean"}
      }
    },
    "artifacts": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["bytes", "sha256", "media_type"],
        "oneOf": [{"required": ["path"]}, {"required": ["path_base64"]}],
        "properties": {
          "path": {"type": "string", "description": "inside the sandbox"},
          "path_base64": {"type": "string", "description": "one that is not UTF-8"},
          "bytes": {"type": "integer"}, "sha256": {"type": "string"},
          "media_type": {"type": "string"}
        }
      }
    },
    "redactions": {
      "type": "array",
      "description": "how often which secret, or which of redact_patterns, was masked in the output",
      "items": {
        "type": "object",
        "required": ["secret", "count"],
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
          "description": "of degraded: those that something weaker stands in for; of enforced: those that cgroup v1 does not hold wholly"}
      }
    },
    "warnings": {"type": "array", "items": {"type": "string"}},
    "undelivered": {"type": "array", "items": {"type": "string"},
      "description": "what was to be written, kept or applied and was not, and why: then sbx exits with 125 where the command has ended with 0"},
    "timing": {
      "type": ["object", "null"],
      "required": ["exec_us", "total_us", "steps"],
      "description": "only with --timing; every start is counted from the start of sbx",
      "properties": {
        "exec_us": {"type": ["number", "null"], "description": "null: there was no exec"},
        "total_us": {"type": "number", "description": "until this object was made"},
        "steps": {
          "type": "array",
          "description": "by start; those of init and payload overlap",
          "items": {
            "type": "object",
            "required": ["process", "step", "kind", "text", "start_us", "took_us", "error"],
            "properties": {
              "process": {"enum": ["supervisor", "init", "payload"]},
              "step": {"type": ["integer", "null"],
                "description": "its number in the plan, from 1; null: not a step of the plan"},
              "kind": {"type": "string"},
              "text": {"type": "string", "description": "as sbx explain words it"},
              "start_us": {"type": "number"},
              "took_us": {"type": ["number", "null"], "description": "null: it was cut off"},
              "error": {"type": ["string", "null"], "description": "what it failed with: EPERM"}
            }
          }
        }
      }
    }
  },
  "$defs": {
)json" + std::string(kFigureParts) +
         R"json(,
    "stream": {
      "type": "object",
      "required": ["bytes", "truncated", "sha256"],
      "description": "text or base64 only with --json; a cut shows as [sbx: N bytes dropped]",
      "properties": {
        "text": {"type": "string"},
        "base64": {"type": "string", "contentEncoding": "base64"},
        "bytes": {"type": ["integer", "null"], "description": "written by the payload"},
        "truncated": {"type": ["boolean", "null"]},
        "sha256": {"type": ["string", "null"], "description": "over all bytes, dropped ones too; of a secret, over what stands in its place"}
      }
    }
  }
}
)json";
}

}  // namespace sbx::supervise
