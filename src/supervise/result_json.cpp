// The result object, schema sbx.result/1. Pure. A figure that was not measured is null, never 0.
#include "supervise/result_json.hpp"

#include <optional>
#include <utility>

#include "base/text.hpp"
#include "supervise/encode.hpp"
#include "supervise/json_figures.hpp"
#include "supervise/outcome.hpp"

namespace sbx::supervise {
namespace {

Json stream_json(const StreamRecord& stream, bool metered) {
  Json json = Json::object();
  if (stream.keep_text) {
    if (is_utf8(stream.captured)) {
      json["text"] = stream.captured;
    } else {
      json["base64"] = base64(stream.captured);
    }
  }
  json["bytes"] = metered ? Json(stream.bytes) : Json(nullptr);
  json["truncated"] = metered ? Json(stream.truncated) : Json(nullptr);
  json["sha256"] = or_null(stream.sha256);
  return json;
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

Json network_json(profile::NetworkMode mode) {
  // Without a network nothing can connect, so the empty list is what was seen; otherwise nobody
  // looks.
  return {{"mode", network_mode(mode)},
          {"connections", mode == profile::NetworkMode::none ? Json::array() : Json(nullptr)}};
}

Json isolation_json(const plan::Isolation& isolation) {
  return {{"tier", isolation.tier},
          {"namespaces", isolation.namespaces},
          {"cgroup", isolation.cgroup},
          {"seccomp", isolation.seccomp},
          {"landlock_abi", isolation.landlock_abi},
          {"user", isolation.user},
          {"required", isolation.required},
          {"enforced", isolation.enforced},
          {"degraded", isolation.degraded},
          {"approximate", isolation.approximate}};
}

Json usage_json(const Outcome& outcome, const plan::Plan& plan) {
  const Usage& usage = outcome.usage;
  return {{"cpu_ms", cpu_json(usage)},
          {"memory",
           {{"peak_bytes", or_null(usage.memory_peak)},
            {"limit_bytes", or_null(enforced(plan, plan.limits.memory))},
            {"oom_kills", or_null(usage.oom_kills)},
            {"high_events", or_null(usage.memory_high_events)}}},
          {"pids",
           {{"peak", or_null(usage.pids_peak)}, {"limit_hits", or_null(usage.pids_limit_hits)}}},
          {"io", io_json(usage)},
          {"pressure", pressure_json(usage)}};
}

}  // namespace

std::string to_json(const Outcome& outcome, const plan::Plan& plan) {
  const bool ran = outcome.phase == "run";
  Json json = {
      {"schema", "sbx.result/1"},
      {"id", plan.run_id},
      {"profile", {{"name", plan.profile_name}, {"sha256", or_null(plan.profile_sha256)}}},
      {"argv", plan.argv},
      {"status", to_string(outcome.status)},
      {"reason",
       {{"code", outcome.reason.code},
        {"text", outcome.reason.text},
        {"limit", or_null(outcome.reason.limit)},
        {"observed", or_null(outcome.reason.observed)}}},
      {"phase", outcome.phase},
      {"exit_code", or_null(outcome.exit_code)},
      {"signal", or_null(outcome.signal)},
      {"started_at", timestamp(outcome.started_at)},
      {"wall_ms", ran ? Json(rounded(outcome.wall_ms)) : Json(nullptr)},
      {"setup_ms", rounded(outcome.setup_ms)},
  };
  json.update(usage_json(outcome, plan));
  json["output"] = {{"stdout", stream_json(outcome.out, outcome.metered)},
                    {"stderr", stream_json(outcome.err, outcome.metered)}};
  json["denials"] = nullptr;  // nothing listens for them in a plain run
  json["network"] = network_json(plan.network);
  json["changes"] = nullptr;
  json["artifacts"] = Json::array();
  json["redactions"] = Json::array();
  json["isolation"] = isolation_json(plan.isolation);
  json["warnings"] = outcome.warnings;
  // Arguments need not be UTF-8 (execve(2) takes any bytes); JSON has to be.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace sbx::supervise
