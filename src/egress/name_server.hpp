// What the DNS inside answers, however a query has come: allowed names with their synthetic
// addresses if they exist on the host's side, REFUSED and an entry in the account for all others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>

#include "egress/account.hpp"
#include "egress/names.hpp"
#include "egress/resolver.hpp"
#include "network/policy.hpp"
#include "protocol/dns_message.hpp"

namespace sbx::egress {

class NameServer {
 public:
  /// Takes a whole message; an empty one: the query deserves none.
  using Reply = std::function<void(const std::string& message)>;

  /// `v6`: the sandbox has IPv6.
  NameServer(const network::Policy& policy, Names& names, Resolver& resolver, Account& account,
             bool v6)
      : policy_(policy), names_(names), resolver_(resolver), account_(account), v6_(v6) {}

  /// Calls `reply` once, now or when the host's DNS has answered; not when this is gone before.
  /// `may_wait` false: what would have to be asked for fails.
  void answer(std::span<const std::uint8_t> message, bool may_wait, Reply reply);
  /// The run is over: names that are still asked for are accounted for.
  void conclude();

 private:
  [[nodiscard]] protocol::DnsAnswer reverse(const protocol::DnsQuery& query) const;
  protocol::DnsAnswer resolved(const protocol::DnsQuery& query, const Resolved& found);
  protocol::DnsAnswer synthetic(const protocol::DnsQuery& query, std::uint32_t ttl);
  void note(const std::string& host, Verdict verdict, std::string reason,
            std::string allow_with = {});

  const network::Policy& policy_;
  Names& names_;
  Resolver& resolver_;
  Account& account_;
  bool v6_;
  std::multiset<std::string> waiting_{};  ///< names, for each answer that is waited for
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace sbx::egress
