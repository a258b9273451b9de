// The schemas of a batch as text: of the lines that go in, and of those that come out.
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "batch/job.hpp"
#include "batch/journal.hpp"

namespace sbx::batch {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kLine = R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:sbx:schema:batch:1",
  "title": "One line of the results of `sbx batch`",
  "description": "Fields are only ever added.",
  "type": "object",
  "required": ["job", "line", "sha256", "attempts", "result"],
  "properties": {
    "job": {"type": "string", "description": "the job's id, or the number of its line"},
    "line": {"type": "integer", "minimum": 1, "description": "where the job stands in its file"},
    "sha256": {"type": "string", "pattern": "^[0-9a-f]{32}$",
      "description": "the first half of that of the job's line"},
    "attempts": {"type": "integer", "minimum": 1, "description": "how often it was started"},
    "result": {"$ref": "#/$defs/result"}
  }
}
)json";

}  // namespace

std::string job_schema() {
  return R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:sbx:schema:job:1",
  "title": "One line of the jobs of `sbx batch`",
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "id": {"type": "string", "minLength": 1, "maxLength": 256,
      "description": "its own in the file; without one, the number of the line"},
    "argv": {"type": "array", "minItems": 1, "prefixItems": [{"type": "string", "minLength": 1}],
      "items": {"type": "string"}, "description": "the command; without one, the profile's"},
    "profile": {"type": "string", "minLength": 1,
      "description": "a name or a path; without one, what --profile says"},
    "overrides": {"type": "object",
      "description": "the job's own layer, in the form of a profile (`sbx schema profile`)"},
    "stdin": {
      "description": "without it the profile's, or nothing",
      "oneOf": [
        {"type": "string"},
        {"$ref": "#/$defs/bytes", "properties": {"perm": false}},
        {"type": "object", "required": ["file"], "additionalProperties": false,
          "properties": {"file": {"type": "string", "description": "a file of the host"}}}
      ]
    },
    "files": {
      "type": "object",
      "description": "what is in the workspace, which is then the job's own and in memory",
      "maxProperties": 1000,
      "propertyNames": {"not": {"pattern": "^/|(^|/)[.]{0,2}(/|$)"}},
      "additionalProperties": {"oneOf": [{"type": "string"}, {"$ref": "#/$defs/bytes"}]}
    }
  },
  "$defs": {
    "bytes": {
      "type": "object",
      "oneOf": [{"required": ["text"]}, {"required": ["base64"]}],
      "additionalProperties": false,
      "properties": {
        "text": {"type": "string"},
        "base64": {"type": "string", "contentEncoding": "base64"},
        "perm": {"type": "string", "pattern": "^0*[0-7]{1,3}$", "description": "of a file only"}
      }
    }
  }
}
)json";
}

// Not as a document of its own, with its $id, among the $defs: not every validator looks for one
// there. What it defines itself is referred to from the top, and so comes to be there.
std::string batch_schema(std::string_view result_schema) {
  Json line = Json::parse(kLine);
  Json result = Json::parse(result_schema);
  line["$defs"] = std::move(result["$defs"]);
  for (const char* const key : {"$schema", "$id", "$defs"}) result.erase(key);
  line["$defs"]["result"] = std::move(result);
  return line.dump(2) + "\n";
}

}  // namespace sbx::batch
