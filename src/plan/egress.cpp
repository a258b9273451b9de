// What a filtered network may reach: the profile's `network`, read, and the caller's proxy.
#include <algorithm>
#include <array>

#include "plan/builder.hpp"

namespace sbx::plan {
namespace {

Error problem_with(const Builder& b, const std::string& key, std::string what,
                   std::string hint = {}) {
  return {.kind = ErrorKind::profile,
          .what = std::move(what),
          .where = b.written_at(key),
          .hint = std::move(hint)};
}

Result<void> read_rules(const Builder& b, network::Policy& policy) {
  const profile::Network& wanted = b.profile.network;
  // Whoever made the profile has checked all of this; nothing runs with less than it says.
  const auto bad = [&b](const std::string& key, const std::string& entry, const std::string& why) {
    return std::unexpected(problem_with(b, key, '`' + key + "`: `" + entry + "` " + why));
  };
  for (const std::string& entry : wanted.allow) {
    auto rule = network::parse_rule(entry);
    if (!rule) return bad("network.allow", entry, rule.error());
    policy.allow.push_back(*std::move(rule));
  }
  for (const std::string& entry : wanted.deny) {
    if (const auto word = network::parse_address_class(entry)) {
      policy.deny_classes.push_back(*word);
      continue;
    }
    auto rule = network::parse_rule(entry);
    if (!rule) return bad("network.deny", entry, rule.error());
    policy.deny.push_back(*std::move(rule));
  }
  for (const std::string& entry : wanted.publish) {
    const auto publish = network::parse_publish(entry);
    if (!publish) return bad("network.publish", entry, publish.error());
    policy.publish.push_back(*publish);
  }
  return {};
}

/// The first of these variables that the caller has; nullptr: none.
const std::pair<const std::string, std::string>* find_variable(
    const HostFacts& facts, std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    const auto found = facts.env.find(name);
    if (found != facts.env.end() && !found->second.empty()) return &*found;
  }
  return nullptr;
}

Result<std::optional<network::Proxy>> proxy_of_caller(const Builder& b) {
  const auto* const variable =
      find_variable(b.facts, {"HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"});
  if (variable == nullptr) return std::nullopt;
  auto proxy = network::parse_proxy(variable->second);
  if (!proxy)
    return std::unexpected(problem_with(
        b, "network.proxy", "the caller's variable " + variable->first + " " + proxy.error(),
        "unset it, give it one of the form http://HOST:PORT, or write network: {proxy: none}"));
  if (const auto* const past = find_variable(b.facts, {"NO_PROXY", "no_proxy"}))
    proxy->bypass = network::parse_bypass(past->second);
  return *std::move(proxy);
}

Result<std::optional<network::Proxy>> proxy_for(const Builder& b) {
  const std::string& wanted = b.profile.network.proxy;
  if (wanted == "none") return std::nullopt;
  if (wanted == "env") return proxy_of_caller(b);
  auto proxy = network::parse_proxy(wanted);
  if (!proxy)
    return std::unexpected(problem_with(b, "network.proxy", "`network.proxy` " + proxy.error()));
  return *std::move(proxy);
}

/// A network of its own keeps the lower ports for this capability, whatever the host's does.
void warn_of_low_port(Builder& b, const network::Publish& publish, const std::string& key) {
  constexpr std::uint16_t kFirstFree = 1024;
  if (publish.port >= kFirstFree) return;
  const std::vector<std::string>& kept = b.profile.capabilities;
  if (std::ranges::find(kept, "cap_net_bind_service") != kept.end()) return;
  b.plan.warnings.push_back(key + " (" + b.written_at(key) + ") leads to port " +
                            std::to_string(publish.port) +
                            ", and below 1024 the command can only listen with capabilities: "
                            "[net_bind_service] (--cap net_bind_service)");
}

}  // namespace

Result<void> plan_egress(Builder& b) {
  const profile::Network& wanted = b.profile.network;
  if (wanted.mode != profile::NetworkMode::filtered) return {};
  network::Policy policy{
      .host_ports = wanted.host_ports,
      .verify_name = wanted.verify_name,
      .limits = {.connections = static_cast<std::uint32_t>(wanted.limits.connections),
                 .down = wanted.limits.down,
                 .up = wanted.limits.up,
                 .total = wanted.limits.total}};
  SBX_CHECK(read_rules(b, policy));
  for (std::size_t i = 0; i < policy.publish.size(); ++i) {
    const std::string key = "network.publish[" + std::to_string(i) + "]";
    b.plan.egress_places.publish.push_back(b.writer_of(key).to_string());
    warn_of_low_port(b, policy.publish[i], key);
  }
  b.plan.egress_places.connections = b.writer_of("network.limits.connections").to_string();
  policy.proxy = SBX_TRY(proxy_for(b));
  b.plan.egress = std::move(policy);
  return {};
}

}  // namespace sbx::plan
