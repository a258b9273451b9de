#include "changes/changes_json.hpp"

#include "base/base64.hpp"
#include "base/json_line.hpp"
#include "base/text.hpp"
#include "changes/view_words.hpp"

namespace sbx::changes {
namespace {

using Json = nlohmann::ordered_json;

/// A name of any bytes: as text, or as "NAME_base64".
void put_bytes(Json& json, const std::string& name, const std::string& bytes) {
  if (is_utf8(bytes))
    json[name] = bytes;
  else
    json[name + "_base64"] = to_base64(bytes);
}

Json entry_json(const Entry& entry) {
  if (entry.kind == EntryKind::absent) return nullptr;
  Json json{{"kind", kind_name(entry.kind)}, {"mode", octal_mode(entry.mode)}};
  if (entry.kind == EntryKind::file) json["size"] = entry.size;
  if (entry.kind == EntryKind::symlink) put_bytes(json, "target", entry.target);
  return json;
}

std::string_view word_of(const Change& change) {
  if (change.before.kind == EntryKind::absent) return "added";
  return change.after.kind == EntryKind::absent ? "deleted" : "modified";
}

/// As `"NAME":[...]`, one by one.
template <class List, class Make>
bool put_list(std::string_view name, const List& list, const Make& make, std::string& text,
              const TakeLines& take) {
  constexpr std::size_t kPiece = std::size_t{64} << 10U;
  text += ",\"" + std::string(name) + "\":[";
  bool first = true;
  for (const auto& one : list) {
    const Json json = make(one);
    if (json.is_null()) continue;
    text += (first ? "" : ",") + json_line(json);
    first = false;
    if (text.size() < kPiece) continue;
    if (!take(text)) return false;
    text.clear();
  }
  text += "]";
  return true;
}

Json omission_json(const Omission& omission) {
  Json json;
  put_bytes(json, "path", omission.path);
  json["why"] = omission.why;
  return json;
}

}  // namespace

Json head_json(const ChangeSet& set, const Totals& sum) {
  Json json{{"schema", "sbx.changes/1"}, {"run", set.run}, {"profile", set.profile}};
  put_bytes(json, "workspace", set.workspace);
  json["argv"] = set.argv;
  json["ended_at"] = set.ended_at;
  json["added"] = sum.added;
  json["modified"] = sum.modified;
  json["deleted"] = sum.deleted;
  json["bytes"] = sum.bytes;
  return json;
}

Json change_json(const Change& change) {
  Json json;
  put_bytes(json, "path", change.path);
  json["change"] = word_of(change);
  json["before"] = entry_json(change.before);
  json["after"] = entry_json(change.after);
  json["disturbed"] = change.disturbed;
  return json;
}

Json omitted_json(std::span<const Omission> omitted) {
  Json json = Json::array();
  for (const Omission& omission : omitted) json.push_back(omission_json(omission));
  return json;
}

void json_view(const ChangeSet& set, const TakeLines& take) {
  std::string text = json_line(head_json(set, totals(set)));
  text.pop_back();  // its brace
  const auto change = [](const Change& one) { return one.passage ? Json() : change_json(one); };
  if (!put_list("changes", set.changes, change, text, take) ||
      !put_list("omitted", set.omitted, omission_json, text, take))
    return;
  text += "}\n";
  (void)take(text);
}

Json applied_json(const ChangeSet& set, const Applied& applied) {
  Json json{{"schema", "sbx.applied/1"}, {"run", set.run}};
  put_bytes(json, "workspace", set.workspace);
  json["applied"] = applied.done;
  json["already"] = applied.already;
  json["conflicts"] = Json::array();
  for (const Conflict& conflict : applied.conflicts) {
    Json& one = json["conflicts"].emplace_back();
    put_bytes(one, "path", conflict.path);
    one["why"] = conflict.why;
  }
  return json;
}

std::string changes_schema() {
  return R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "The kept changes of a run, as `sbx diff --json` prints them",
  "description": "Without RUN an array of these, without changes and omitted. A name that is not UTF-8 has _base64 at the end of its key.",
  "type": "object",
  "required": ["schema", "run", "profile", "argv", "ended_at", "added", "modified", "deleted", "bytes"],
  "properties": {
    "schema": {"const": "sbx.changes/1"},
    "run": {"type": "string"}, "profile": {"type": "string"},
    "workspace": {"type": "string", "description": "the folder on the host"},
    "workspace_base64": {"type": "string"},
    "argv": {"type": "array", "items": {"type": "string"}},
    "ended_at": {"type": "string", "format": "date-time"},
    "added": {"type": "integer"}, "modified": {"type": "integer"},
    "deleted": {"type": "integer"},
    "bytes": {"type": "integer", "description": "of the contents that are kept"},
    "changes": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["change", "before", "after", "disturbed"],
        "properties": {
          "path": {"type": "string", "description": "relative to the workspace"},
          "path_base64": {"type": "string"},
          "change": {"enum": ["added", "modified", "deleted"]},
          "before": {"$ref": "#/$defs/entry"}, "after": {"$ref": "#/$defs/entry"},
          "disturbed": {
            "type": "boolean",
            "description": "the host's side changed during the run; apply refuses it"
          }
        }
      }
    },
    "omitted": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["why"],
        "properties": {
          "path": {"type": "string"}, "path_base64": {"type": "string"}, "why": {"type": "string"}
        }
      }
    }
  },
  "$defs": {
    "entry": {
      "type": ["object", "null"],
      "required": ["kind", "mode"],
      "properties": {
        "kind": {"enum": ["file", "folder", "symlink", "fifo"]},
        "mode": {"type": "string", "pattern": "^[0-7]{4}$"},
        "size": {"type": "integer", "description": "bytes, of files"},
        "target": {"type": "string"}, "target_base64": {"type": "string"}
      }
    }
  }
}
)";
}

}  // namespace sbx::changes
