// network.publish: who connects to a port of the host reaches one of the sandbox's.
#pragma once

#include <functional>

#include "egress/acceptor.hpp"
#include "egress/desk.hpp"
#include "os/socket_mint.hpp"

namespace sbx::egress {

/// A port of the host that is listened on already, so that nobody else gets it meanwhile.
struct Published {
  network::Publish what{};
  os::UniqueFd socket{};
};

class Publisher final {
 public:
  /// Is given the two ends of each connection: inside, outside. A slot is taken for it.
  using Take = std::function<void(os::UniqueFd, os::UniqueFd, Target)>;

  Publisher(Desk& desk, Published published, os::SocketMint& mint, Take take);
  SysResult<void> start() { return acceptor_.start(); }

 private:
  void admit(os::UniqueFd accepted);

  Desk& desk_;
  network::Publish what_;
  os::SocketMint& mint_;
  Take take_;
  Acceptor acceptor_;
};

}  // namespace sbx::egress
