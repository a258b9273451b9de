// Names on the host, by c-ares: /etc/hosts and the servers of /etc/resolv.conf. Asynchronous.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "egress/loop.hpp"
#include "network/address.hpp"

namespace sbx::egress {

struct Resolved {
  enum class State { found, no_such_name, failed };
  State state = State::failed;
  std::vector<network::Address> addresses{};  ///< at most 16; in the order to try them
  std::uint32_t ttl = 0;                      ///< seconds, of the shortest; 0: from a file
  std::string problem{};                      ///< of failed: "timeout while contacting DNS servers"
};

class Resolver {
 public:
  using Done = std::function<void(const Resolved&)>;

  explicit Resolver(Loop& loop);
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  /// Calls `done` once, now or from the loop; never when the resolver is gone before. Askers for
  /// the same name share one question. Answers are kept for their time to live, at least one second
  /// and at most five minutes, failures for one; a bounded number of them.
  void resolve(const std::string& name, Done done);
  /// Too many questions are open already (64): the caller is to refuse.
  [[nodiscard]] bool busy() const;

 private:
  class Channel;  ///< of c-ares, made at the first question
  std::unique_ptr<Channel> channel_;
  Loop& loop_;
};

}  // namespace sbx::egress
