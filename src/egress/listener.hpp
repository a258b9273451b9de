// Accepts what the payload connects to, on one port of the sandbox, and decides about it.
#pragma once

#include <cstdint>
#include <functional>

#include "egress/desk.hpp"

namespace sbx::egress {

class Listener final : public Watcher {
 public:
  /// Is given each connection that is allowed; a slot is taken for it.
  using Take = std::function<void(os::UniqueFd, Target)>;

  Listener(Desk& desk, os::UniqueFd socket, Take take);
  ~Listener() override;
  SysResult<void> start();
  void ready(int fd, std::uint32_t events) override;

 private:
  void admit(os::UniqueFd accepted);
  void refuse(os::UniqueFd accepted, const Target& target, Verdict verdict);

  Desk& desk_;
  os::UniqueFd socket_;
  Take take_;
  Alarm pause_;  ///< when this process has no descriptor left
};

}  // namespace sbx::egress
