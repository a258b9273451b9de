// The whole plan as text and as JSON.
#include <algorithm>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "plan/describe.hpp"
#include "plan/describe_network.hpp"
#include "plan/kinds.hpp"

namespace sbx::plan {
namespace {

std::string duration_or_none(const std::optional<std::chrono::milliseconds>& value) {
  return value ? format_duration(*value) : "none";
}

std::string origin_text(const Origin& origin) {
  return origin.file.empty() ? "" : " [" + origin.to_string() + "]";
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

std::string supervision_text(const Plan& plan) {
  const Supervision& s = plan.supervision;
  std::string text = "supervise: wall " + duration_or_none(s.wall) + ", cpu " +
                     duration_or_none(s.cpu) + ", idle " + duration_or_none(s.idle) + ", grace " +
                     format_duration(s.grace) + "\n";
  text +=
      "output:    stdout " +
      (s.output.stdout_bytes ? format_bytes(*s.output.stdout_bytes) : std::string("unlimited")) +
      ", stderr " +
      (s.output.stderr_bytes ? format_bytes(*s.output.stderr_bytes) : std::string("unlimited")) +
      ", terminal " + (s.tty ? "yes, a fresh one" : "no") + "\n";
  if (!s.redact_patterns.empty()) text += "redact:    " + join(s.redact_patterns, ", ") + "\n";
  if (s.on_leak == profile::OnLeak::fail)
    text += "on leak:   the run is ended at the first secret in its output\n";
  if (s.end_tree_on_oom)
    text += "memory:    a kill by the kernel is looked for, and ends the tree\n";
  if (s.tell_memory_high) text += "memory:    going above limits.memory_high is told\n";
  for (const WatchedPlace& place : s.watched)
    text += "watch:     " + quote(place.folder + "/" + place.name) +
            (place.absent ? " must not come into being\n" : " must not be replaced\n");
  for (const std::string& folder : s.without_links)
    text += "links:     in " + quote(folder) + " are removed at the end\n";
  if (s.usage_interval)
    text += "events:    usage every " + format_duration(*s.usage_interval) + "\n";
  return text;
}

std::string joined(const std::vector<std::uint64_t>& numbers, const char* between) {
  std::string text;
  for (const std::uint64_t number : numbers)
    text.append(text.empty() ? "" : between).append(std::to_string(number));
  return text;
}

std::string seccomp_text(const Plan& plan) {
  const seccomp::Request& filter = plan.seccomp;
  std::string text = "seccomp:   allow " + join(filter.allow, ", ");
  if (!filter.deny.empty()) text += "; deny " + join(filter.deny, ", ");
  for (const seccomp::ArgAllow& rule : filter.args)
    text += "; " + rule.call + " only with argument " + std::to_string(rule.arg) + " in " +
            joined(rule.in, ", ");
  if (filter.no_huge_pages) text += "; no huge pages";
  return text + "; denied calls: " + plan.isolation.seccomp + "\n";
}

std::string secrets_text(const Plan& plan) {
  std::string text;
  for (const PlannedSecret& secret : plan.secrets) {
    text += "secret:    " + printable(secret.name) + " from " + printable(secret.from) + ", ";
    if (!secret.env.empty()) text += "as the variable " + printable(secret.env);
    if (!secret.env.empty() && !secret.place.empty()) text += " and ";
    if (!secret.place.empty()) text += "in " + quote(secret.place);
    text += (secret.redact ? "" : ", not redacted") + origin_text(secret.origin) + "\n";
  }
  return text;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

std::string json_list(const std::vector<std::string>& items) {
  std::string text = "[";
  for (const std::string& item : items) text += (text.size() > 1 ? "," : "") + json_string(item);
  return text + "]";
}

std::string json_ms(const std::optional<std::chrono::milliseconds>& value) {
  return value ? std::to_string(value->count()) : "null";
}

std::string json_bytes(const std::optional<std::uint64_t>& value) {
  return value ? std::to_string(*value) : "null";
}

std::string json_bool(bool value) { return value ? "true" : "false"; }

/// Only where there is one to be told: a member of its own for one rare key.
std::string json_watched(const Supervision& supervision) {
  std::string text;
  for (const WatchedPlace& place : supervision.watched)
    text += std::string(text.empty() ? "" : ",") +
            "{\"path\":" + json_string(place.folder + "/" + place.name) +
            ",\"absent\":" + json_bool(place.absent) + "}";
  return text.empty() ? "" : ",\"watched\":[" + text + "]";
}

/// Likewise.
std::string json_redaction(const Supervision& supervision) {
  if (!supervision.redacts) return "";
  const bool fails = supervision.on_leak == profile::OnLeak::fail;
  return ",\"redact_patterns\":" + json_list(supervision.redact_patterns) +
         ",\"on_leak\":" + (fails ? "\"fail\"" : "\"redact\"");
}

/// Likewise.
std::string json_secrets(const std::vector<PlannedSecret>& secrets) {
  const auto or_null = [](const std::string& text) {
    return text.empty() ? std::string("null") : json_string(text);
  };
  std::string text;
  for (const PlannedSecret& secret : secrets)
    text += std::string(text.empty() ? "" : ",") + "{\"name\":" + json_string(secret.name) +
            ",\"from\":" + json_string(secret.from) + ",\"file\":" + or_null(secret.place) +
            ",\"env\":" + or_null(secret.env) + ",\"redact\":" + json_bool(secret.redact) + "}";
  return text.empty() ? "" : ",\"secrets\":[" + text + "]";
}

std::string json_step(const Step& step) {
  const std::string text = "{\"phase\":" + json_string(phase_name(step.phase)) +
                           ",\"kind\":" + json_string(kind_name(step.action)) +
                           ",\"text\":" + json_string(describe(step.action)) +
                           ",\"reason\":" + json_string(step.reason) + ",\"origin\":";
  return text + (step.origin.file.empty() ? "null" : json_string(step.origin.to_string())) + "}";
}

std::string seccomp_json(const Plan& plan) {
  const seccomp::Request& filter = plan.seccomp;
  std::string args;
  for (const seccomp::ArgAllow& rule : filter.args)
    args += (args.empty() ? "" : ",") + ("{\"call\":" + json_string(rule.call)) +
            ",\"arg\":" + std::to_string(rule.arg) + ",\"in\":[" + joined(rule.in, ",") + "]}";
  return ",\"seccomp\":{\"allow\":" + json_list(filter.allow) +
         ",\"deny\":" + json_list(filter.deny) + ",\"args\":[" + args +
         "],\"huge_pages\":" + json_bool(!filter.no_huge_pages) +
         ",\"on_deny\":" + json_string(plan.isolation.seccomp) + "}";
}

}  // namespace

std::string_view phase_name(Phase phase) {
  switch (phase) {
    case Phase::host:
      return "host";
    case Phase::clone:
      return "clone";
    case Phase::attend:
      return "attend";
    case Phase::init:
      return "init";
    case Phase::payload:
      return "payload";
    case Phase::guard:
      return "guard";
  }
  return "";
}

std::string describe_text(const Plan& plan) {
  std::string text = "profile:   " + plan.profile_name + "\n";
  text += "command:   " + quote_command(plan.argv) + "\n";
  text += "user:      " + plan.isolation.user + " inside\n";
  text += seccomp_text(plan);
  text += network_text(plan);
  text += supervision_text(plan);
  for (const std::string& entry : plan.env) text += "env:       " + printable(entry) + "\n";
  text += secrets_text(plan);
  std::size_t number = 0;
  for (const Step& step : plan.steps) {
    ++number;
    const std::string index = std::to_string(number);
    text += std::string(index.size() < 3 ? 3 - index.size() : 0, ' ') + index + " " +
            padded(std::string(phase_name(step.phase)), 8) + describe(step.action) + "\n";
    text += "            because: " + step.reason + origin_text(step.origin) + "\n";
  }
  for (const std::string& control : plan.isolation.degraded)
    text += "degraded:  " + control +
            (has(plan.isolation.approximate, control) ? " is kept approximately on this host\n"
                                                      : " is not enforced on this host\n");
  for (const std::string& warning : plan.warnings) text += "warning:   " + warning + "\n";
  return text;
}

std::string describe_json(const Plan& plan) {
  const Supervision& s = plan.supervision;
  std::string text =
      "{\"schema\":\"sbx.plan/1\",\"profile\":{\"name\":" + json_string(plan.profile_name) +
      ",\"sha256\":" + json_string(plan.profile_sha256) + "}";
  text += ",\"argv\":" + json_list(plan.argv) + ",\"env\":" + json_list(plan.env) +
          ",\"search_path\":" + json_list(plan.search_path) + json_secrets(plan.secrets);
  text += ",\"steps\":[";
  for (std::size_t i = 0; i < plan.steps.size(); ++i)
    text += (i != 0 ? "," : "") + json_step(plan.steps[i]);
  text += "]" + seccomp_json(plan);
  text += network_json(plan);
  text += ",\"supervise\":{\"wall_ms\":" + json_ms(s.wall) + ",\"cpu_ms\":" + json_ms(s.cpu) +
          ",\"idle_ms\":" + json_ms(s.idle) + ",\"grace_ms\":" + std::to_string(s.grace.count()) +
          ",\"stdout_bytes\":" + json_bytes(s.output.stdout_bytes) +
          ",\"stderr_bytes\":" + json_bytes(s.output.stderr_bytes) +
          ",\"end_tree_on_oom\":" + json_bool(s.end_tree_on_oom) +
          ",\"tell_memory_high\":" + json_bool(s.tell_memory_high) +
          ",\"usage_interval_ms\":" + json_ms(s.usage_interval) + ",\"tty\":" + json_bool(s.tty) +
          json_watched(s) + json_redaction(s) + "}";
  text += ",\"isolation\":{\"tier\":" + json_string(plan.isolation.tier) +
          ",\"namespaces\":" + json_list(plan.isolation.namespaces) +
          ",\"cgroup\":" + json_string(plan.isolation.cgroup) +
          ",\"landlock_abi\":" + std::to_string(plan.isolation.landlock_abi) +
          ",\"user\":" + json_string(plan.isolation.user) +
          ",\"required\":" + json_list(plan.isolation.required) +
          ",\"enforced\":" + json_list(plan.isolation.enforced) +
          ",\"degraded\":" + json_list(plan.isolation.degraded) +
          ",\"approximate\":" + json_list(plan.isolation.approximate) + "}";
  return text + ",\"warnings\":" + json_list(plan.warnings) + "}";
}

}  // namespace sbx::plan
