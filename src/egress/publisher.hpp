// network.publish: who connects to a port of the host reaches one of the sandbox's.
#pragma once

#include <cstdint>
#include <functional>

#include "egress/desk.hpp"
#include "os/socket_mint.hpp"

namespace sbx::egress {

/// A port of the host that is listened on already, so that nobody else gets it meanwhile.
struct Published {
  network::Publish what{};
  os::UniqueFd socket{};
};

class Publisher final : public Watcher {
 public:
  /// Is given the two ends of each connection: inside, outside. A slot is taken for it.
  using Take = std::function<void(os::UniqueFd, os::UniqueFd, Target)>;

  Publisher(Desk& desk, Published published, os::SocketMint& mint, Take take);
  ~Publisher() override;
  SysResult<void> start();
  void ready(int fd, std::uint32_t events) override;

 private:
  void admit(os::UniqueFd accepted);

  Desk& desk_;
  Published published_;
  os::SocketMint& mint_;
  Take take_;
  Alarm pause_;
};

}  // namespace sbx::egress
