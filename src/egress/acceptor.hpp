// Accepts connections at a listening socket of ours, a few at a time.
#pragma once

#include <cstdint>
#include <functional>

#include "egress/loop.hpp"
#include "os/fd.hpp"

namespace sbx::egress {

class Acceptor final : public Watcher {
 public:
  using Admit = std::function<void(os::UniqueFd)>;

  Acceptor(Loop& loop, os::UniqueFd socket, Admit admit);
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;
  ~Acceptor() override;
  SysResult<void> start();
  [[nodiscard]] int get() const { return socket_.get(); }
  void ready(int fd, std::uint32_t events) override;

 private:
  Loop& loop_;
  os::UniqueFd socket_;
  Admit admit_;
  Alarm pause_;  ///< when this process has no descriptor left
};

}  // namespace sbx::egress
