// Hears what the kernel refuses inside, because nobody listens there: first packets of connections
// and datagrams, from raw sockets whose filter lets nothing else through. For the account alone.
#pragma once

#include <cstdint>

#include "egress/desk.hpp"

namespace sbx::egress {

class RefusedWatch final : public Watcher {
 public:
  RefusedWatch(Desk& desk, os::UniqueFd socket);
  ~RefusedWatch() override;
  SysResult<void> start();
  void ready(int fd, std::uint32_t events) override;

 private:
  Desk& desk_;
  os::UniqueFd socket_;
  Alarm rest_;  ///< a flood of packets shall not keep us busy
};

}  // namespace sbx::egress
