// From names to the addresses of the host's network, asynchronously.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "network/address.hpp"

namespace sbx::egress {

struct Resolved {
  enum class State { found, no_such_name, failed };
  State state = State::failed;
  std::vector<network::Address> addresses{};  ///< of found: 1 to 64; in the order to try them
  std::uint32_t ttl = 0;                      ///< seconds, of the shortest; 0: from a file
  std::string problem{};                      ///< of failed: "timeout while contacting DNS servers"
};

class Resolver {
 public:
  using Done = std::function<void(const Resolved&)>;

  Resolver() = default;
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;
  virtual ~Resolver() = default;

  /// `name` is normal, see network::normal_name(). Calls `done` once, now or from the loop; never
  /// when the resolver is gone before. A name without any address does not exist.
  virtual void resolve(const std::string& name, Done done) = 0;
  /// Too many questions are open: another one fails at once.
  [[nodiscard]] virtual bool busy() const = 0;
};

}  // namespace sbx::egress
