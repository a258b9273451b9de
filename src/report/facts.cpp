// Without exceptions: the parser is told so, and every value's type is looked at before it is
// taken.
#include "report/facts.hpp"

#include <nlohmann/json.hpp>

#include "base/base64.hpp"

namespace sbx::report {
namespace {

using Json = nlohmann::ordered_json;

/// The member `key`, or null where there is none.
const Json& at(const Json& json, const char* key) {
  static const Json none;
  if (!json.is_object()) return none;
  const auto found = json.find(key);
  return found == json.end() ? none : *found;
}

std::string string_at(const Json& json, const char* key) {
  const auto* value = at(json, key).get_ptr<const Json::string_t*>();
  return value == nullptr ? std::string() : *value;
}

bool true_at(const Json& json, const char* key) {
  const auto* value = at(json, key).get_ptr<const Json::boolean_t*>();
  return value != nullptr && *value;
}

/// Below zero there is nothing to count.
std::optional<std::uint64_t> count_at(const Json& json, const char* key) {
  const Json& value = at(json, key);
  if (!value.is_number_unsigned()) return std::nullopt;
  return value.get<std::uint64_t>();
}

std::optional<std::int64_t> integer_at(const Json& json, const char* key) {
  const Json& value = at(json, key);
  if (!value.is_number_integer()) return std::nullopt;
  return value.get<std::int64_t>();
}

std::optional<double> number_at(const Json& json, const char* key) {
  const Json& value = at(json, key);
  if (!value.is_number() || value.get<double>() < 0) return std::nullopt;
  return value.get<double>();
}

std::vector<std::string> strings_at(const Json& json, const char* key) {
  std::vector<std::string> out;
  const Json& list = at(json, key);
  if (!list.is_array()) return out;
  for (const Json& item : list) {
    if (const auto* value = item.get_ptr<const Json::string_t*>()) out.push_back(*value);
  }
  return out;
}

StreamFacts stream_of(const Json& json) {
  StreamFacts out{.bytes = count_at(json, "bytes"), .truncated = true_at(json, "truncated")};
  if (at(json, "text").is_string()) {
    out.text = string_at(json, "text");
  } else if (at(json, "base64").is_string()) {
    out.text = from_base64(string_at(json, "base64"));
  }
  return out;
}

std::optional<std::vector<DenialFacts>> denials_of(const Json& list) {
  if (!list.is_array()) return std::nullopt;
  std::vector<DenialFacts> out;
  for (const Json& json : list) {
    out.push_back({.operation = string_at(json, "operation"),
                   .target = string_at(json, "target"),
                   .comm = string_at(json, "comm"),
                   .allow_with = string_at(json, "allow_with"),
                   .count = count_at(json, "count").value_or(1),
                   .passed = true_at(json, "passed")});
  }
  return out;
}

std::optional<ChangesFacts> changes_of(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  return ChangesFacts{.added = count_at(json, "added").value_or(0),
                      .modified = count_at(json, "modified").value_or(0),
                      .deleted = count_at(json, "deleted").value_or(0),
                      .bytes = count_at(json, "bytes").value_or(0),
                      .run = string_at(json, "run"),
                      .applied = true_at(json, "applied")};
}

std::vector<Redaction> redactions_of(const Json& list) {
  std::vector<Redaction> out;
  if (!list.is_array()) return out;
  for (const Json& json : list) {
    if (json.is_object())
      out.push_back({string_at(json, "secret"), count_at(json, "count").value_or(0)});
  }
  return out;
}

IsolationFacts isolation_of(const Json& json) {
  return {.tier = string_at(json, "tier"),
          .cgroup = string_at(json, "cgroup"),
          .seccomp = string_at(json, "seccomp"),
          .user = string_at(json, "user"),
          .landlock_abi = count_at(json, "landlock_abi"),
          .namespaces = strings_at(json, "namespaces"),
          .enforced = strings_at(json, "enforced"),
          .degraded = strings_at(json, "degraded"),
          .approximate = strings_at(json, "approximate")};
}

void take_usage(Facts& facts, const Json& json) {
  facts.wall_ms = number_at(json, "wall_ms");
  facts.setup_ms = number_at(json, "setup_ms");
  const Json& cpu = at(json, "cpu_ms");
  facts.cpu_user = number_at(cpu, "user");
  facts.cpu_system = number_at(cpu, "system");
  facts.cpu_throttled = number_at(cpu, "throttled");
  const Json& memory = at(json, "memory");
  facts.memory_peak = count_at(memory, "peak_bytes");
  facts.memory_limit = count_at(memory, "limit_bytes");
  facts.oom_kills = count_at(memory, "oom_kills");
  facts.pids_peak = count_at(at(json, "pids"), "peak");
  facts.pids_limit_hits = count_at(at(json, "pids"), "limit_hits");
  facts.io_read = count_at(at(json, "io"), "read_bytes");
  facts.io_write = count_at(at(json, "io"), "write_bytes");
}

void take_outcome(Facts& facts, const Json& json) {
  facts.status = string_at(json, "status");
  facts.phase = string_at(json, "phase");
  facts.exit_code = integer_at(json, "exit_code");
  facts.signal = integer_at(json, "signal");
  const Json& reason = at(json, "reason");
  facts.reason = string_at(reason, "text");
  facts.reason_limit = string_at(reason, "limit");
  facts.reason_observed = string_at(reason, "observed");
  facts.out = stream_of(at(at(json, "output"), "stdout"));
  facts.err = stream_of(at(at(json, "output"), "stderr"));
}

/// What got lost first.
std::vector<std::string> told(const Json& json) {
  std::vector<std::string> texts = strings_at(json, "undelivered");
  for (std::string& warning : strings_at(json, "warnings")) texts.push_back(std::move(warning));
  return texts;
}

}  // namespace

Result<Facts> read_facts(std::string_view result) {
  // A value is destroyed as deep as it is nested: what no result has is not built.
  const auto shallow = [](int depth, Json::parse_event_t, const Json&) { return depth < 32; };
  const Json json = Json::parse(result, shallow, false);
  if (!json.is_object()) {
    return std::unexpected(Error{.kind = ErrorKind::internal,
                                 .what = "the result of the run is no JSON object",
                                 .hint = "it was written by another program, or damaged since"});
  }
  Facts facts{.id = string_at(json, "id"),
              .profile = string_at(at(json, "profile"), "name"),
              .started_at = string_at(json, "started_at"),
              .network = string_at(at(json, "network"), "mode"),
              .argv = strings_at(json, "argv"),
              .denials = denials_of(at(json, "denials")),
              .changes = changes_of(at(json, "changes")),
              .redactions = redactions_of(at(json, "redactions")),
              .isolation = isolation_of(at(json, "isolation")),
              .warnings = told(json)};
  take_outcome(facts, json);
  take_usage(facts, json);
  return facts;
}

}  // namespace sbx::report
