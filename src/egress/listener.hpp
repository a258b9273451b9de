// Accepts what the payload connects to, on one port of the sandbox, and decides about it.
#pragma once

#include <functional>

#include "egress/acceptor.hpp"
#include "egress/desk.hpp"

namespace sbx::egress {

class Listener final {
 public:
  /// Is given each connection that is allowed; a slot is taken for it.
  using Take = std::function<void(os::UniqueFd, Target)>;

  Listener(Desk& desk, os::UniqueFd socket, Take take);
  SysResult<void> start();

 private:
  void admit(os::UniqueFd accepted);
  void refuse(os::UniqueFd accepted, const Target& target, Verdict verdict);

  Desk& desk_;
  Take take_;
  Acceptor acceptor_;
};

}  // namespace sbx::egress
