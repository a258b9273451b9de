// The result object, schema sbx.result/1. Pure. A figure that was not measured is null, never 0.
#include "supervise/result_json.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/base64.hpp"
#include "base/json_line.hpp"
#include "base/text.hpp"
#include "supervise/json_figures.hpp"
#include "supervise/outcome.hpp"
#include "supervise/redaction.hpp"
#include "supervise/timing_json.hpp"

namespace sbx::supervise {
namespace {

/// Where the library writes, for who does not want all of it at once.
class Pieces final : public nlohmann::detail::output_adapter_protocol<char> {
 public:
  explicit Pieces(const std::function<bool(std::string_view)>& take) : take_(take) {
    piece_.reserve(kPiece);
  }
  void write_character(char c) override { write_characters(&c, 1); }
  void write_characters(const char* text, std::size_t length) override {
    if (piece_.size() + length > kPiece) flush();
    piece_.append(text, length);  // whole characters
  }
  /// Whether all of it has been taken.
  bool flush() {
    make_safe(piece_);
    wanted_ = wanted_ && (piece_.empty() || take_(piece_));
    piece_.clear();
    return wanted_;
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{64} << 10U;
  const std::function<bool(std::string_view)>& take_;
  std::string piece_;
  bool wanted_ = true;
};

Json stream_json(const StreamRecord& stream, bool metered) {
  Json::object_t json;
  json.reserve(4);
  if (stream.keep_text) {
    if (is_utf8(stream.captured)) {
      json.emplace_back("text", stream.captured);
    } else {
      json.emplace_back("base64", to_base64(stream.captured));
    }
  }
  json.emplace_back("bytes", metered ? Json(stream.bytes) : Json(nullptr));
  json.emplace_back("truncated", metered ? Json(stream.truncated) : Json(nullptr));
  json.emplace_back("sha256", or_null(stream.sha256));
  return json;
}

Json connection_json(const egress::Connections& each) {
  return object({{"host", each.host},
                 {"port", or_null(each.port)},
                 {"protocol", network::to_string(each.protocol)},
                 {"verdict", egress::to_string(each.verdict)},
                 {"reason", or_null(each.reason)},
                 {"count", each.count},
                 {"bytes", each.sent + each.received},
                 {"sent", each.sent},
                 {"received", each.received}});
}

std::string_view network_mode(profile::NetworkMode mode) {
  switch (mode) {
    case profile::NetworkMode::none:
      return "none";
    case profile::NetworkMode::host:
      return "host";
    case profile::NetworkMode::filtered:
      return "filtered";
  }
  return "none";
}

Json network_json(profile::NetworkMode mode, const Outcome& outcome) {
  // Without a network nothing can connect, so the empty list is what was seen; of the host's own
  // nobody looks.
  Json connections;
  if (mode != profile::NetworkMode::host) connections = Json::array();
  for (const egress::Connections& each : outcome.connections)
    connections.push_back(connection_json(each));
  return object({{"mode", network_mode(mode)}, {"connections", std::move(connections)}});
}

/// What the plan goes without, and what the kernel has refused of it. A control held nobody whose
/// command was never started, and may be the one that failed.
Json isolation_json(plan::Isolation isolation, const Outcome& outcome) {
  if (outcome.copied) {
    isolation.degraded.emplace_back("overlay");
    isolation.approximate.emplace_back("overlay");
  }
  if (outcome.phase == "setup" && outcome.error) {
    isolation.enforced.clear();
    std::erase_if(isolation.approximate, [&](const std::string& name) {
      return std::ranges::find(isolation.degraded, name) == isolation.degraded.end();
    });
  }
  return object({{"tier", isolation.tier},
                 {"namespaces", isolation.namespaces},
                 {"cgroup", isolation.cgroup},
                 {"seccomp", isolation.seccomp},
                 {"landlock_abi", isolation.landlock_abi},
                 {"user", isolation.user},
                 {"required", isolation.required},
                 {"enforced", isolation.enforced},
                 {"degraded", isolation.degraded},
                 {"approximate", isolation.approximate}});
}

Json reason_json(const Reason& reason) {
  return object({{"code", reason.code},
                 {"text", reason.text},
                 {"limit", or_null(reason.limit)},
                 {"observed", or_null(reason.observed)}});
}

Json memory_json(const Usage& usage, const plan::Plan& plan) {
  return object({{"peak_bytes", or_null(usage.memory_peak)},
                 {"limit_bytes", or_null(enforced(plan, plan.limits.memory))},
                 {"oom_kills", or_null(usage.oom_kills)},
                 {"high_events", or_null(usage.memory_high_events)}});
}

Json pids_json(const Usage& usage) {
  return object(
      {{"peak", or_null(usage.pids_peak)}, {"limit_hits", or_null(usage.pids_limit_hits)}});
}

Json denial_json(const Denial& denial) {
  return object({{"kind", denial.kind},
                 {"operation", denial.operation},
                 {"target", or_null(denial.target)},
                 {"syscall", denial.kind == "syscall" ? Json(denial.operation) : Json()},
                 {"reason", or_null(denial.reason)},
                 {"pid", or_null(denial.pid)},
                 {"comm", or_null(denial.comm)},
                 {"count", denial.count},
                 {"passed", denial.passed},
                 {"allow_with", or_null(denial.allow_with)}});
}

Json denials_json(const Outcome& outcome) {
  if (!outcome.denials) return nullptr;
  Json list = Json::array();
  for (const Denial& denial : *outcome.denials) list.push_back(denial_json(denial));
  return list;
}

Json changes_json(const std::optional<KeptChanges>& changes) {
  if (!changes) return nullptr;
  return object({{"added", changes->totals.added},
                 {"modified", changes->totals.modified},
                 {"deleted", changes->totals.deleted},
                 {"bytes", changes->totals.bytes},
                 {"run", or_null(changes->run)},
                 {"applied", changes->applied}});
}

Json artifact_json(const artifacts::Artifact& artifact) {
  const bool text = is_utf8(artifact.path);
  return object({{text ? "path" : "path_base64", text ? artifact.path : to_base64(artifact.path)},
                 {"bytes", artifact.bytes},
                 {"sha256", artifact.sha256},
                 {"media_type", artifact.media_type}});
}

Json artifacts_json(const std::vector<artifacts::Artifact>& artifacts) {
  Json list = Json::array();
  for (const artifacts::Artifact& artifact : artifacts) list.push_back(artifact_json(artifact));
  return list;
}

Json redactions_json(const redact::Counts& counts) {
  Json list = Json::array();
  for (const auto& [name, count] : counts)
    list.push_back(object({{"secret", name}, {"count", count}}));
  return list;
}

}  // namespace

std::string to_json(const artifacts::Artifact& artifact) {
  return json_line(artifact_json(artifact));
}

std::string to_json(const egress::Connections& connections) {
  return json_line(connection_json(connections));
}

namespace {

Json result_json(const Outcome& outcome, const plan::Plan& plan) {
  const bool ran = outcome.phase == "run";
  Json json = object(
      {{"schema", "sbx.result/1"},
       {"id", plan.run_id},
       {"profile", object({{"name", plan.profile_name}, {"sha256", or_null(plan.profile_sha256)}})},
       {"argv", plan.argv},
       {"status", to_string(outcome.status)},
       {"reason", reason_json(outcome.reason)},
       {"phase", outcome.phase},
       {"exit_code", or_null(outcome.exit_code)},
       {"signal", or_null(outcome.signal)},
       {"started_at", timestamp(outcome.started_at)},
       {"wall_ms", ran ? Json(rounded(outcome.wall_ms)) : Json()},
       {"setup_ms", rounded(outcome.setup_ms)},
       {"cpu_ms", cpu_json(outcome.usage)},
       {"memory", memory_json(outcome.usage, plan)},
       {"pids", pids_json(outcome.usage)},
       {"io", io_json(outcome.usage)},
       {"pressure", pressure_json(outcome.usage)},
       {"output", object({{"stdout", stream_json(outcome.out, outcome.metered)},
                          {"stderr", stream_json(outcome.err, outcome.metered)}})},
       {"denials", denials_json(outcome)},
       {"network", network_json(plan.network, outcome)},
       {"changes", changes_json(outcome.changes)},
       {"artifacts", artifacts_json(outcome.artifacts)},
       {"redactions", redactions_json(outcome.redactions)},
       {"isolation", isolation_json(plan.isolation, outcome)},
       {"warnings", outcome.warnings},
       {"undelivered", outcome.undelivered},
       {"timing", timing_json(outcome.timing)}});
  // The output is clear of them already, and long.
  if (outcome.redactor)
    for (auto& [name, value] : json.items())
      if (name != "output") redact_strings(outcome.redactor, value);
  return json;
}

}  // namespace

std::string to_json(const Outcome& outcome, const plan::Plan& plan) {
  return json_line(result_json(outcome, plan));
}

bool write_json(const Outcome& outcome, const plan::Plan& plan,
                const std::function<bool(std::string_view)>& take) {
  const auto pieces = std::make_shared<Pieces>(take);
  nlohmann::detail::serializer<Json>(pieces, ' ', Json::error_handler_t::replace)
      .dump(result_json(outcome, plan), false, false, 0);
  return pieces->flush();
}

}  // namespace sbx::supervise
