#include "mcp/tool_table.hpp"

#include <algorithm>
#include <array>

#include "base/quantity.hpp"
#include "mcp/tool_schemas.hpp"

namespace sbx::mcp {
namespace {

struct Row {
  std::string_view name;
  std::string_view title;
  std::string_view about;
  std::string_view takes;  ///< the properties of its input
  std::string_view needs;  ///< the required ones, a JSON list
  std::string_view gives;  ///< its output schema
  bool reads_only;
  bool destroys;
  bool repeats;  ///< calling it again changes nothing more
};

constexpr std::array kRows{
    Row{"run_command", "Run a command",
        "Runs one program with its arguments (no shell) in a fresh sandbox whose working folder is "
        "the workspace. Files that it leaves there are there for the next call; all else is gone. ",
        R"("argv": {"type": "array", "items": {"type": "string"}, "minItems": 1, "description": "the program and its arguments"})",
        R"(["argv"])", kRunResult, false, true, false},
    Row{"run_python", "Run Python code",
        "Runs Python code (python3 -c) in a fresh sandbox whose working folder is the workspace. "
        "Print what you want to see; save charts as files and fetch them with collect_artifacts. ",
        R"("code": {"type": "string", "description": "at most 100K; put more into a file"}, "args": {"type": "array", "items": {"type": "string"}, "description": "sys.argv[1:]"})",
        R"(["code"])", kRunResult, false, true, false},
    Row{"run_node", "Run JavaScript",
        "Runs JavaScript (node -e) in a fresh sandbox whose working folder is the workspace. ",
        R"("code": {"type": "string", "description": "at most 100K; put more into a file"}, "args": {"type": "array", "items": {"type": "string"}, "description": "process.argv from 1 on"})",
        R"(["code"])", kRunResult, false, true, false},
    Row{"run_shell", "Run a shell script",
        "Runs a script (sh -c) in a fresh sandbox whose working folder is the workspace. ",
        R"("script": {"type": "string", "description": "at most 100K; put more into a file"}, "args": {"type": "array", "items": {"type": "string"}, "description": "$1, $2 ..."})",
        R"(["script"])", kRunResult, false, true, false},
    Row{"read_file", "Read a file",
        "Reads a file of the workspace: text, or base64 where it is none; an image comes back as "
        "one. Give first_line and lines, or offset and length, for a part of it.",
        R"("path": {"type": "string", "description": "relative to the workspace, or its absolute path in the sandbox"},
"first_line": {"type": "integer", "minimum": 1}, "lines": {"type": "integer", "minimum": 1},
"offset": {"type": "integer", "minimum": 0, "description": "in bytes"}, "length": {"type": "integer", "minimum": 1, "description": "in bytes; at most 1 MiB comes at once"})",
        R"(["path"])", kReadResult, true, false, true},
    Row{"write_file", "Write a file",
        "Writes a file of the workspace, whole or not at all, with the folders that it needs. "
        "Give text, or base64 for bytes.",
        R"("path": {"type": "string", "description": "relative to the workspace, or its absolute path in the sandbox"},
"text": {"type": "string"}, "base64": {"type": "string"}, "executable": {"type": "boolean", "default": false})",
        R"(["path"])", kWriteResult, false, true, true},
    Row{"list_files", "List files",
        "Lists what is in the workspace, or in a folder of it, by path. Links are named and not "
        "followed.",
        R"("path": {"type": "string", "description": "a folder; the workspace when it is missing"},
"depth": {"type": "integer", "minimum": 1, "maximum": 64, "description": "levels of folders [64]"})",
        "[]", kListResult, true, false, true},
    Row{"diff", "Show what has changed",
        "Shows what the session has changed in the workspace since its beginning, or since the "
        "last apply, as a unified diff.",
        R"("paths": {"type": "array", "items": {"type": "string"}, "description": "only these, and what is below them"})",
        "[]", kDiffResult, true, false, true},
    Row{"apply", "Apply the changes",
        "Puts what the session has changed into the operator's folder: all of it, or what is at "
        "and below the paths. Where that folder is not any more what the session began with, it "
        "says so and changes nothing.",
        R"("paths": {"type": "array", "items": {"type": "string"}, "description": "only these, and what is below them"})",
        "[]", kApplyResult, false, true, true},
    Row{"collect_artifacts", "Collect files",
        "Keeps files of the workspace as artifacts, which stay readable as resources whatever "
        "becomes of the workspace. Images among them come back as images.",
        R"("patterns": {"type": "array", "items": {"type": "string"}, "minItems": 1, "description": "such as out/*.png or **/*.csv; a folder means all that is in it"})",
        R"(["patterns"])", kCollectResult, false, false, true},
};

bool is_offered(const Row& row, const Offer& offer) {
  const auto runner = runner_of(row.name);
  return !runner || std::ranges::find(offer.runners, *runner) != offer.runners.end();
}

Json input_of(const Row& row) {
  const std::string more = runner_of(row.name) ? ", " + std::string(kRunOptions) : "";
  return Json::parse(R"({"type": "object", "properties": {)" + std::string(row.takes) + more +
                     R"(}, "required": )" + std::string(row.needs) +
                     R"(, "additionalProperties": false})");
}

Json entry_of(const Row& row, const Offer& offer, const std::string& bounds) {
  std::string about(row.about);
  if (runner_of(row.name)) about += "Bounds: " + bounds + ". A call may ask for less.";
  if (row.name == "write_file" && !offer.writes) about += " Not here: the workspace is read-only.";
  if (row.name == "diff" && !offer.has_session) about += " Not here: it is the operator's own.";
  if (row.name == "apply" && !offer.applies) about += " Not here: the operator has not allowed it.";
  const bool open = runner_of(row.name) && offer.open_world;
  return {{"name", row.name},
          {"title", row.title},
          {"description", about},
          {"inputSchema", input_of(row)},
          {"outputSchema", Json::parse(row.gives)},
          {"annotations",
           {{"title", row.title},
            {"readOnlyHint", row.reads_only},
            {"destructiveHint", row.destroys},
            {"idempotentHint", row.repeats},
            {"openWorldHint", open}}}};
}

}  // namespace

Json tool_list(const Offer& offer, const std::string& bounds) {
  Json list = Json::array();
  for (const Row& row : kRows)
    if (is_offered(row, offer)) list.push_back(entry_of(row, offer, bounds));
  return list;
}

std::string bounds_text(const profile::Limits& limits) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (limits.wall) add("timeout " + format_duration(*limits.wall));
  if (limits.cpu) add("cpu_time " + format_duration(*limits.cpu));
  if (limits.idle) add("idle " + format_duration(*limits.idle));
  if (limits.memory) add("memory " + format_bytes(*limits.memory));
  if (limits.pids) add("pids " + std::to_string(*limits.pids));
  return text.empty() ? "none" : text;
}

std::string instructions_text(const Offer& offer, const std::string& place,
                              const std::string& bounds) {
  std::string text =
      "Runs untrusted code in a hardened Linux sandbox. Each run_* call is a fresh sandbox; the "
      "workspace, " +
      place + " inside, is what calls share. ";
  text += offer.has_session ? "It is the session's own: nobody's files outside change"
          : offer.writes    ? "Writes there change the operator's folder at once"
                            : "It is read-only";
  text += offer.applies ? ", until apply puts the changes there. " : ". ";
  text += offer.open_world ? "" : "There is no network. ";
  return text + "Bounds of a run: " + bounds +
         ". A result's status says how it ended; denials "
         "lists what the sandbox refused.";
}

}  // namespace sbx::mcp
