// A live run as JSON, and the schema of that.
#include "supervise/live_json.hpp"

#include "base/json_line.hpp"
#include "base/text.hpp"
#include "supervise/json_figures.hpp"
#include "supervise/redaction.hpp"
#include "supervise/schema_figures.hpp"

namespace sbx::supervise {
namespace {

/// Command lines can have megabytes; nobody reads more than this in a list.
constexpr std::size_t kLongestCommand = 4096;

std::string command_of(const std::vector<std::string>& argv) {
  std::vector<std::string> words;
  std::size_t size = 0;
  for (const std::string& word : argv) {
    words.push_back(word.substr(0, kLongestCommand));
    size += words.back().size() + 1;
    if (size > kLongestCommand) break;
  }
  const std::string command = quote_command(words);
  return command.size() > kLongestCommand ? command.substr(0, kLongestCommand) + "..." : command;
}

Json usage_json(const Usage& usage, const plan::Plan& plan) {
  return {
      {"cpu_ms", cpu_json(usage)},
      {"memory",
       {{"bytes", or_null(usage.memory_now)},
        {"peak_bytes", or_null(usage.memory_peak)},
        {"limit_bytes", or_null(enforced(plan, plan.limits.memory))}}},
      {"pids",
       {{"current", or_null(usage.pids_now)},
        {"peak", or_null(usage.pids_peak)},
        {"limit", or_null(enforced(plan, plan.limits.pids))}}},
      {"io", io_json(usage)},
      {"pressure", pressure_json(usage)},
  };
}

}  // namespace

std::string to_json(const Usage& usage, const plan::Plan& plan) {
  return json_line(usage_json(usage, plan));
}

std::string to_json(const LiveRun& live, const plan::Plan& plan) {
  Json json = {
      {"id", plan.run_id},
      {"name", plan.run_name.empty() ? Json() : Json(redacted(live.redactor, plan.run_name))},
      {"pid", live.pid},
      {"state", live.paused ? "paused" : "running"},
      {"profile", plan.profile_name},
      {"command", command_of(redacted(live.redactor, plan.argv))},
      {"started_at", timestamp(live.started_at)},
      {"elapsed_ms", live.elapsed / kMillisecond},
  };
  json.update(usage_json(live.usage, plan));
  return json_line(json);
}

std::string live_schema() {
  return R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:sbx:schema:live:1",
  "title": "A live run",
  "description": "sbx ps --json prints an array of these, and so does sbx stats --json; sbx stats RUN --json prints one. Fields are only ever added. null: this host does not measure it. A run that does not answer has an id, a state and, if it was given one, a name only.",
  "type": "object",
  "required": ["id", "state"],
  "properties": {
    "id": {"type": "string", "description": "the run's id"},
    "name": {"type": ["string", "null"], "description": "of run --name; null: it was given none"},
    "pid": {"type": "integer", "description": "of init, on the host"},
    "state": {"enum": ["running", "paused", "unresponsive"],
      "description": "unresponsive: its supervisor is stopped, or the machine is very busy"},
    "profile": {"type": "string"},
    "command": {"type": "string", "description": "in a shell's words; cut after 4096 bytes"},
    "started_at": {"type": "string", "format": "date-time"},
    "elapsed_ms": {"type": "integer", "description": "since the command was started"},
    "memory": {
      "type": "object",
      "required": ["bytes", "peak_bytes", "limit_bytes"],
      "properties": {
        "bytes": {"type": ["integer", "null"]},
        "peak_bytes": {"type": ["integer", "null"]},
        "limit_bytes": {"type": ["integer", "null"]}
      }
    },
    "pids": {
      "type": "object",
      "required": ["current", "peak", "limit"],
      "properties": {
        "current": {"type": ["integer", "null"]},
        "peak": {"type": ["integer", "null"]},
        "limit": {"type": ["integer", "null"]}
      }
    },
)json" + std::string(kFigures) +
         R"json(
  },
  "$defs": {
)json" + std::string(kFigureParts) +
         R"json(
  }
}
)json";
}

}  // namespace sbx::supervise
