// Which answer a query gets (RFC 1035, 2308 for "no data", 6761 for localhost).
#include "egress/name_server.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace sbx::egress {
namespace {

using network::Address;
using protocol::DnsAnswer;
using protocol::DnsCode;
using protocol::DnsQuery;
using protocol::DnsType;

/// Seconds. The addresses never change; whether the name still exists does.
constexpr std::uint32_t kLongest = 60;
/// Answers that are waited for, with those for connections that have gone meanwhile: more than who
/// is still there can wait for.
constexpr std::size_t kMostWaiting = 1024;

bool is(const DnsQuery& query, DnsType type) {
  return query.type == static_cast<std::uint16_t>(type);
}

bool is_localhost(std::string_view name) {
  return name == "localhost" || name.ends_with(".localhost");
}

bool is_reverse(std::string_view name) {
  return name.ends_with(".in-addr.arpa") || name.ends_with(".ip6.arpa");
}

bool is_loopback(const Address& address) {
  Address v6;
  v6.bytes.back() = 1;
  return address == v6 || (address.is_v4() && address.bytes[12] == 127);
}

DnsAnswer no_data() { return {}; }
DnsAnswer only(DnsCode code) { return {.code = code}; }

DnsAnswer one_of(const DnsQuery& query, const Address& v4, const Address& v6, std::uint32_t ttl) {
  if (is(query, DnsType::a)) return {.address = v4, .ttl = ttl};
  if (is(query, DnsType::aaaa)) return {.address = v6, .ttl = ttl};
  return no_data();
}

DnsAnswer localhost(const DnsQuery& query, bool has_v6) {
  if (is(query, DnsType::aaaa) && !has_v6) return no_data();
  Address v6;
  v6.bytes.back() = 1;
  return one_of(query, network::v4(127, 0, 0, 1), v6, kLongest);
}

}  // namespace

void NameServer::answer(std::span<const std::uint8_t> message, bool may_wait, Reply reply) {
  const auto parsed = protocol::parse_query(message);
  if (!parsed.query.has_value()) return reply(protocol::write_rejection(parsed.rejected));
  const DnsQuery& query = *parsed.query;
  const auto say = [&](const DnsAnswer& answer) { reply(protocol::write_answer(query, answer)); };

  if (is_localhost(query.name)) return say(localhost(query, v6_));
  if (is_reverse(query.name)) return say(reverse(query));
  const auto decision = network::decide_lookup(policy_, query.name);
  if (!decision.allowed) {
    note(query.name, Verdict::denied, decision.because, decision.allow_with);
    return say(only(DnsCode::refused));
  }
  const bool v4 = is(query, DnsType::a);
  if (!v4 && (!is(query, DnsType::aaaa) || !v6_)) return say(no_data());
  // The host may know no names but its proxy's.
  if (policy_.proxy.has_value()) return say(synthetic(query, kLongest));
  if (!may_wait || waiting_.size() >= kMostWaiting) {
    note(query.name, Verdict::limited, "too many names are being resolved at once");
    return say(only(DnsCode::server_failure));
  }
  const auto waits = waiting_.insert(query.name);
  resolver_.resolve(query.name, [this, alive = std::weak_ptr(alive_), waits, query,
                                 reply = std::move(reply)](const Resolved& found) {
    if (alive.expired()) return;
    waiting_.erase(waits);
    reply(protocol::write_answer(query, resolved(query, found)));
  });
}

void NameServer::conclude() {
  for (const std::string& name : waiting_)
    note(name, Verdict::failed, "the run ended before the host's DNS had answered");
}

DnsAnswer NameServer::reverse(const DnsQuery& query) const {
  const auto asked = protocol::reverse_name(query.name);
  if (!asked.has_value()) return only(DnsCode::no_such_name);
  std::string name;
  if (const auto known = names_.name_of(*asked)) name = *known;
  if (is_loopback(*asked)) name = "localhost";
  if (name.empty()) return only(DnsCode::no_such_name);
  if (!is(query, DnsType::ptr)) return no_data();
  return {.pointer = std::move(name), .ttl = kLongest};
}

DnsAnswer NameServer::resolved(const DnsQuery& query, const Resolved& found) {
  switch (found.state) {
    case Resolved::State::found:
      return synthetic(query, std::clamp(found.ttl, 1U, kLongest));
    case Resolved::State::no_such_name:
      note(query.name, Verdict::failed, "there is no such name");
      return only(DnsCode::no_such_name);
    case Resolved::State::failed:
      note(query.name, Verdict::failed, found.problem);
      return only(DnsCode::server_failure);
  }
  std::unreachable();
}

DnsAnswer NameServer::synthetic(const DnsQuery& query, std::uint32_t ttl) {
  const auto addresses = names_.address_of(query.name);
  if (addresses.has_value()) return one_of(query, addresses->v4, addresses->v6, ttl);
  note(query.name, Verdict::limited,
       "more than " + std::to_string(kMostNames) + " names have been asked for");
  return only(DnsCode::server_failure);
}

void NameServer::note(const std::string& host, Verdict verdict, std::string reason,
                      std::string allow_with) {
  account_.note({.host = host,
                 .verdict = verdict,
                 .reason = std::move(reason),
                 .allow_with = std::move(allow_with)});
}

}  // namespace sbx::egress
