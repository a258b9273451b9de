#include "plan/describe_network.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "base/quantity.hpp"
#include "base/text.hpp"

namespace sbx::plan {
namespace {

using Words = std::vector<std::string>;

template <class List, class Word>
Words words_of(const List& list, Word word) {
  Words out;
  std::ranges::transform(list, std::back_inserter(out), word);
  return out;
}

Words rules_of(const std::vector<network::Rule>& rules) {
  return words_of(rules, [](const network::Rule& rule) { return rule.text; });
}
Words classes_of(const std::vector<network::AddressClass>& classes) {
  return words_of(classes, [](network::AddressClass c) { return std::string(to_string(c)); });
}
Words ports_of_host(const network::Policy& policy) {
  return words_of(policy.host_ports, [](std::uint16_t port) { return std::to_string(port); });
}
Words published(const network::Policy& policy) {
  return words_of(policy.publish, [](const network::Publish& p) { return to_string(p); });
}

/// What no name leads to, unless a rule has the address.
Words refused_classes(const network::Policy& policy) {
  using enum network::AddressClass;
  std::vector<network::AddressClass> out;
  for (const network::AddressClass what : {private_use, link_local, loopback, multicast, reserved})
    if (std::ranges::find(policy.deny_classes, what) == policy.deny_classes.end())
      out.push_back(what);
  return classes_of(out);
}

std::string line(const std::string& text) { return "network:   " + text + "\n"; }

std::string limits_text(const network::Limits& limits) {
  std::string text = "at most " + std::to_string(limits.connections) + " connections at once";
  if (limits.down) text += ", down " + format_rate(*limits.down);
  if (limits.up) text += ", up " + format_rate(*limits.up);
  if (limits.total) text += ", " + format_bytes(*limits.total) + " in all";
  return text;
}

std::string json_words(const Words& words) {
  std::string text = "[";
  for (const std::string& word : words) text += (text.size() > 1 ? "," : "") + json_string(word);
  return text + "]";
}

std::string json_number(const std::optional<std::uint64_t>& value) {
  return value ? std::to_string(*value) : "null";
}

}  // namespace

std::string network_text(const Plan& plan) {
  if (!plan.egress) return "";
  const network::Policy& policy = *plan.egress;
  std::string text;
  for (const std::string& rule : rules_of(policy.allow)) text += line("allow " + printable(rule));
  for (const std::string& rule : rules_of(policy.deny)) text += line("deny " + printable(rule));
  for (const std::string& what : classes_of(policy.deny_classes))
    text += line("deny " + what + " addresses");
  if (const Words refused = refused_classes(policy); !refused.empty())
    text += line("refuse " + join(refused, ", ") + " addresses, unless allow has them");
  for (const std::string& port : ports_of_host(policy))
    text += line("allow port " + port + " of the host's loopback");
  for (const std::string& entry : published(policy)) text += line("publish " + entry);
  text += line(policy.verify_name ? "TLS and HTTP must be for the name that was allowed"
                                  : "TLS and HTTP may be for other names (verify_name: false)");
  if (policy.proxy)
    text += line("through " + printable(shown(*policy.proxy)) +
                 (policy.proxy->bypass.empty()
                      ? ""
                      : ", but not to " + printable(join(policy.proxy->bypass, ", "))));
  return text + line(limits_text(policy.limits));
}

std::string network_json(const Plan& plan) {
  if (!plan.egress) return "";
  const network::Policy& policy = *plan.egress;
  std::string text = ",\"network\":{\"allow\":" + json_words(rules_of(policy.allow)) +
                     ",\"deny\":" + json_words(rules_of(policy.deny)) +
                     ",\"deny_classes\":" + json_words(classes_of(policy.deny_classes)) +
                     ",\"refused_classes\":" + json_words(refused_classes(policy));
  text += ",\"host_ports\":[" + join(ports_of_host(policy), ",") +
          "],\"publish\":" + json_words(published(policy)) +
          ",\"verify_name\":" + (policy.verify_name ? "true" : "false") +
          ",\"proxy\":" + (policy.proxy ? json_string(shown(*policy.proxy)) : "null") +
          ",\"no_proxy\":" + json_words(policy.proxy ? policy.proxy->bypass : Words{});
  const network::Limits& limits = policy.limits;
  return text + ",\"limits\":{\"connections\":" + std::to_string(limits.connections) +
         ",\"down_bps\":" + json_number(limits.down) + ",\"up_bps\":" + json_number(limits.up) +
         ",\"total_bytes\":" + json_number(limits.total) + "}}";
}

}  // namespace sbx::plan
