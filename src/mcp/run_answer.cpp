// What a run_* tool answers, made of the result of `sbx run --json`.
#include <algorithm>
#include <utility>

#include "base/base64.hpp"
#include "changes/view_words.hpp"
#include "mcp/change_tools.hpp"

namespace sbx::mcp {
namespace {

Json member(const Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && found != object.end() ? *found : Json();
}

Json stream_of(const Json& result, const char* name) {
  const Json given = member(member(result, "output"), name);
  Json out{{"bytes", member(given, "bytes")}, {"truncated", member(given, "truncated")}};
  for (const char* const form : {"text", "base64"})
    if (given.contains(form)) out[form] = given[form];
  return out;
}

/// As a model reads it.
std::string shown(const Json& stream) {
  if (stream.contains("text")) return stream["text"].get<std::string>();
  if (!stream.contains("base64")) return {};
  return from_base64(stream["base64"].get<std::string>()).value_or("");  // U+FFFD in the line
}

Json denials_of(const Json& result) {
  const Json given = member(result, "denials");
  if (!given.is_array()) return nullptr;
  Json out = Json::array();
  for (const Json& one : given)
    out.push_back({{"operation", one["operation"]},
                   {"target", one["target"]},
                   {"count", one["count"]},
                   {"allow_with", one["allow_with"]}});
  return out;
}

Json cpu_of(const Json& result) {
  const Json cpu = member(result, "cpu_ms");
  const Json user = member(cpu, "user");
  const Json system = member(cpu, "system");
  if (!user.is_number() || !system.is_number()) return nullptr;
  return user.get<double>() + system.get<double>();
}

/// Had the run a copy of the workspace, as overlayfs refuses that?
bool was_copied(const Json& result) {
  const Json degraded = member(member(result, "isolation"), "degraded");
  return std::ranges::find(degraded, "overlay") != degraded.end();
}

/// Brings them into the workspace.
Json changes_of(const Json& result, Workspace& workspace, Workspace::Meanwhile meanwhile,
                Json& warnings) {
  if (!workspace.is_own()) return nullptr;
  const Json given = member(result, "changes");
  Json out{{"added", 0},
           {"modified", 0},
           {"deleted", 0},
           {"kept", given.is_object()},
           {"conflicts", Json::array()}};
  if (!given.is_object()) {
    if (member(result, "phase") == "run")
      warnings.push_back(
          "what this call has changed could not be kept, so the next does not see it");
    return out;
  }
  for (const char* const key : {"added", "modified", "deleted"}) out[key] = given[key];
  const std::string run = given["run"].is_string() ? given["run"].get<std::string>() : "";
  meanwhile.copied = was_copied(result);
  if (run.empty() && !meanwhile.copied) return out;  // nothing has changed
  auto merged = workspace.merge(run, meanwhile);
  out["kept"] = merged.kept;
  for (const changes::Conflict& conflict : merged.conflicts)
    out["conflicts"].push_back(
        {{"path", changes::shown_path(conflict.path)}, {"why", conflict.why}});
  if (!merged.conflicts.empty())
    merged.warning =
        "another call has changed the same files meanwhile, so nothing of what this "
        "one changed is in the workspace";
  if (!merged.warning.empty()) warnings.push_back(merged.warning);
  return out;
}

/// Did the sandbox, and not the program, decide how it ended?
bool is_failure(const std::string& status) {
  return status != "ok" && status != "nonzero" && status != "signal";
}

std::string headline(const Json& data) {
  std::string text = data["status"].get<std::string>();
  const std::string reason = data["reason"].get<std::string>();
  if (!reason.empty()) text += ": " + reason;
  return text;
}

void add_notes(const Json& data, Answer& answer) {
  std::string text;
  for (const char* const name : {"stdout", "stderr"})
    if (data[name]["truncated"] == true)
      text += std::string(name) + " was cut: it had " + data[name]["bytes"].dump() + " bytes\n";
  if (data["denials"].is_array())
    for (const Json& denial : data["denials"]) {
      text += "denied: " + denial["operation"].get<std::string>();
      if (denial["target"].is_string()) text += " " + denial["target"].get<std::string>();
      text += "\n";
    }
  for (const Json& warning : data["warnings"])
    text += "warning: " + warning.get<std::string>() + "\n";
  if (!text.empty()) answer.add_text(std::move(text));
}

}  // namespace

Answer run_answer(const Json& result, Workspace& workspace, Workspace::Meanwhile meanwhile,
                  KeptFiles& kept) {
  const std::string status = result.value("status", "internal_error");
  Json warnings = member(result, "warnings");
  if (!warnings.is_array()) warnings = Json::array();
  if (const Json lost = member(result, "undelivered"); lost.is_array())
    warnings.insert(warnings.end(), lost.begin(), lost.end());
  Answer answer;
  Json& data = answer.data;
  data["run"] = result.value("id", "");
  data["status"] = status;
  data["reason"] = member(result, "reason").value("text", "");
  data["exit_code"] = member(result, "exit_code");
  data["signal"] = member(result, "signal");
  data["stdout"] = stream_of(result, "stdout");
  data["stderr"] = stream_of(result, "stderr");
  data["wall_ms"] = member(result, "wall_ms");
  data["cpu_ms"] = cpu_of(result);
  data["memory_peak_bytes"] = member(member(result, "memory"), "peak_bytes");
  data["denials"] = denials_of(result);
  data["changes"] = changes_of(result, workspace, meanwhile, warnings);
  data["artifacts"] = kept.take(member(result, "artifacts"));
  const Json degraded = member(member(result, "isolation"), "degraded");
  data["degraded"] = degraded.is_array() ? degraded : Json::array();
  data["warnings"] = std::move(warnings);
  answer.is_error = is_failure(status);
  answer.add_text(headline(data));
  for (const char* const name : {"stdout", "stderr"}) {
    std::string text = shown(data[name]);
    if (!text.empty()) answer.add_text(std::string(name) + ":\n" + std::move(text));
  }
  add_notes(data, answer);
  kept.show(data["artifacts"], answer);
  return answer;
}

}  // namespace sbx::mcp
