#include "cli/artifacts_json.hpp"

#include "base/base64.hpp"
#include "base/text.hpp"
#include "supervise/json_figures.hpp"

namespace sbx::cli {

nlohmann::ordered_json artifact_json(const artifacts::Kept& kept) {
  nlohmann::ordered_json json{{"run", kept.run->id}};
  if (is_utf8(kept.artifact.path))
    json["path"] = kept.artifact.path;
  else
    json["path_base64"] = to_base64(kept.artifact.path);
  json["bytes"] = kept.artifact.bytes;
  json["sha256"] = kept.artifact.sha256;
  json["media_type"] = kept.artifact.media_type;
  json["profile"] = kept.run->profile;
  json["argv"] = kept.run->argv;
  json["status"] = kept.run->status;
  json["ended_at"] = supervise::timestamp(kept.run->ended_at);
  json["expires_at"] = nullptr;
  if (kept.run->expires_at) json["expires_at"] = supervise::timestamp(*kept.run->expires_at);
  return json;
}

std::string artifacts_schema() {
  return R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Kept artifacts, as `sbx artifacts ls --json` prints them",
  "type": "array",
  "items": {
    "type": "object",
    "required": ["run", "bytes", "sha256", "media_type", "profile", "argv", "status", "ended_at",
      "expires_at"],
    "oneOf": [{"required": ["path"]}, {"required": ["path_base64"]}],
    "properties": {
      "run": {"type": "string"},
      "path": {"type": "string", "description": "inside the sandbox"},
      "path_base64": {"type": "string", "description": "one that is not UTF-8"},
      "bytes": {"type": "integer"},
      "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
      "media_type": {"type": "string", "description": "as libmagic tells it"},
      "profile": {"type": "string"},
      "argv": {"type": "array", "items": {"type": "string"}},
      "status": {"type": "string", "description": "how the run ended, as in its result"},
      "ended_at": {"type": "string", "format": "date-time"},
      "expires_at": {"type": ["string", "null"], "description": "null: it stays"}
    }
  }
}
)";
}

}  // namespace sbx::cli
