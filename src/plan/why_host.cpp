// --why host:NAME:PORT, host:udp:NAME:PORT
#include <cstdint>
#include <string>
#include <utility>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "network/rule.hpp"
#include "plan/why_parts.hpp"

namespace sbx::plan {
namespace {

using network::Protocol;

struct Place {
  Protocol protocol = Protocol::tcp;
  std::string host;  ///< a normal name, or an address
  std::uint16_t port = 0;
};

/// "name:443", "10.0.0.1:80", "[::1]:443", "udp:name:53".
Result<Place> read_place(std::string_view text) {
  constexpr std::string_view kUdp = "udp:";
  const std::string_view asked = text;
  Place place;
  if (text.starts_with(kUdp)) {
    place.protocol = Protocol::udp;
    text.remove_prefix(kUdp.size());
  }
  const std::size_t colon = text.rfind(':');
  std::string_view host = text.substr(0, colon);
  place.port = colon == std::string_view::npos
                   ? 0
                   : parse_number<std::uint16_t>(text.substr(colon + 1)).value_or(0);
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (host.empty() || place.port == 0 || (host.contains(':') && !bracketed))
    return bad_question(quote(asked) + " is no host with a port",
                        "ask as in host:example.org:443, host:udp:example.org:3478 or "
                        "host:[2001:db8::1]:443");
  if (bracketed) host = host.substr(1, host.size() - 2);
  place.host = network::normal_name(host);
  return place;
}

bool is_loopback(std::string_view host) {
  return host == "localhost" || host.ends_with(".localhost") || host == "::1" ||
         host.starts_with("127.");
}

/// The entry of the profile that `because` is about: "network.allow: example.org:443" is
/// "network.allow[1]".
std::string key_of(const profile::Network& network, std::string_view because) {
  const auto find = [&](std::string_view key, const auto& entries, auto text) {
    const std::string front = std::string(key) + ": ";
    if (!because.starts_with(front)) return std::string();
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (text(entries[i]) == because.substr(front.size()))
        return std::string(key) + '[' + std::to_string(i) + ']';
    return std::string(key);
  };
  const auto same = [](const std::string& entry) { return entry; };
  std::string key = find("network.allow", network.allow, same);
  if (key.empty()) key = find("network.deny", network.deny, same);
  if (key.empty())
    key = find("network.host_ports", network.host_ports,
               [](std::uint16_t port) { return std::to_string(port); });
  return key;
}

Answer answer_for(const Asked& asked, const network::Decision& decision, std::string allowed,
                  std::string refused) {
  std::string key = key_of(asked.profile.network, decision.because);
  if (key.empty() && !decision.allow_with.empty())
    key = decision.allow_with.contains("host_ports") ? "network.host_ports" : "network.allow";
  Answer answer = asked.decided_by(key);
  answer.verdict = decision.allowed ? Verdict::allowed : Verdict::denied;
  answer.what = decision.allowed ? std::move(allowed) : std::move(refused);
  answer.because = decision.because;
  answer.allow_with = decision.allow_with;
  return answer;
}

bool has_port(const network::Policy& policy, const Place& place) {
  for (const network::PortRange& range : ports_of(policy, place.protocol))
    if (range.contains(place.port)) return true;
  return place.port == network::kDnsPort;
}

Answer own_loopback(const Asked& asked) {
  Answer answer = asked.decided_by("network");
  answer.verdict = Verdict::partly;
  answer.what = "this is the sandbox's own loopback: only programs inside answer there";
  return answer;
}

Answer filtered_address(const Asked& asked, const network::Policy& policy, const Place& place,
                        const network::Address& address) {
  const network::Decision decision =
      network::decide_address(policy, place.protocol, {.address = address, .port = place.port},
                              asked.host.is_own && asked.host.is_own(address));
  if (is_loopback(network::to_string(address)) && !has_port(policy, place)) {
    Answer answer = own_loopback(asked);
    answer.because = "a network namespace of its own, and network.host_ports does not have " +
                     std::to_string(place.port);
    if (place.protocol == Protocol::tcp && !decision.allow_with.empty())
      answer.hint = "for a service on the host's loopback: " + decision.allow_with;
    return answer;
  }
  // Of a port that some rule has, the supervisor takes every connection, and looks then.
  const char* const tcp = has_port(policy, place)
                              ? "the connection is taken, and reset before anything comes back"
                              : "the connection is refused (ECONNREFUSED)";
  return answer_for(asked, decision, "the supervisor connects to this address on the host's behalf",
                    place.protocol == Protocol::tcp ? tcp : "what is sent gets no answer");
}

Answer filtered_name(const Asked& asked, const network::Policy& policy, const Place& place) {
  const bool resolves = network::decide_lookup(policy, place.host).allowed;
  Answer answer =
      answer_for(asked, network::decide_name(policy, place.protocol, place.host, place.port),
                 "the supervisor resolves the name on the host, and connects to it",
                 resolves ? "the name is resolved, and the connection is refused"
                          : "the name is not resolved: the DNS inside answers REFUSED");
  if (answer.verdict == Verdict::allowed)
    answer.hint =
        "an address that is not an ordinary one of the internet has to be in network.allow itself";
  return answer;
}

/// Whoever is asked by port 53, the answer is ours.
Answer own_dns(const Asked& asked) {
  Answer answer = asked.decided_by({});
  answer.verdict = Verdict::partly;
  answer.what =
      "sbx itself answers there, whatever the address: names of network.allow are "
      "resolved, and nothing else is";
  answer.because = "port 53 is where sbx itself answers DNS";
  return answer;
}

Answer filtered(const Asked& asked, const network::Policy& policy, const Place& place) {
  if (place.port == network::kDnsPort) return own_dns(asked);
  if (const auto address = network::parse_address(place.host))
    return filtered_address(asked, policy, place, *address);
  if (is_loopback(place.host))  // of /etc/hosts
    return filtered_address(asked, policy, place, network::v4(127, 0, 0, 1));
  return filtered_name(asked, policy, place);
}

/// The entry of network.allow that is for the place.
std::string entry_for(const Place& place) {
  const bool v6 = place.host.contains(':');
  return (place.protocol == Protocol::udp ? "udp:" : "") +
         (v6 ? '[' + place.host + ']' : place.host) + ':' + std::to_string(place.port);
}

/// Why that entry is no rule, or does not let it through either; empty: it does.
std::string no_use_of(const std::string& entry, const Place& place) {
  auto rule = network::parse_rule(entry);
  if (!rule) return "`" + printable(entry, 80) + "` " + rule.error();
  network::Policy policy;
  policy.allow.push_back(*std::move(rule));
  const auto address = network::parse_address(place.host);
  const network::Decision decision =
      address ? network::decide_address(policy, place.protocol,
                                        {.address = *address, .port = place.port}, false)
              : network::decide_name(policy, place.protocol, place.host, place.port);
  return decision.allowed ? "" : decision.because;
}

Answer answer_of(const Asked& asked, const Place& place) {
  if (asked.plan.egress) return filtered(asked, *asked.plan.egress, place);
  Answer answer = asked.decided_by("network");
  if (asked.plan.network == profile::NetworkMode::host) {
    answer.verdict = Verdict::allowed;
    answer.what = "the command uses the host's own network, and reaches what the host reaches";
    answer.because = "network: host";
    return answer;
  }
  if (asked.plan.seccomp.shared_host.shared) {
    answer.what = "the call fails with ENETUNREACH, and names are not resolved";
    answer.because = seccomp::shared_host_reason(asked.plan.seccomp.shared_host, "socket");
    answer.allow_with = "network: host";
    return answer;
  }
  constexpr const char* kNone =
      "network: none, a network namespace with nothing but a loopback interface";
  const std::string port = std::to_string(place.port);
  if (is_loopback(place.host)) {
    answer = own_loopback(asked);
    answer.because = kNone;
    answer.hint = "for a service on the host's loopback: network: {host_ports: [" + port + "]}";
    return answer;
  }
  answer.because = kNone;
  answer.what = "there is no route (ENETUNREACH), and names are not resolved";
  answer.allow_with = "network: {allow: [" + json_string(entry_for(place)) + "]}";
  return answer;
}

}  // namespace

Result<Answer> why_host(const Asked& asked, std::string_view text) {
  const Place place = SBX_TRY(read_place(text));
  Answer answer = answer_of(asked, place);
  if (!answer.allow_with.starts_with("network: {allow:")) return answer;
  if (const std::string problem = no_use_of(entry_for(place), place); !problem.empty()) {
    answer.allow_with.clear();
    answer.hint = "no entry of network.allow would change it: " + problem;
  }
  return answer;
}

}  // namespace sbx::plan
