#include "egress/acceptor.hpp"

#include <cerrno>
#include <utility>

#include "egress/sockets.hpp"

namespace sbx::egress {
namespace {

constexpr int kAtOnce = 32;
constexpr Nanos kPause = 20 * kMilli;

}  // namespace

Acceptor::Acceptor(Loop& loop, os::UniqueFd socket, Admit admit)
    : loop_(loop), socket_(std::move(socket)), admit_(std::move(admit)), pause_(loop, *this) {}

Acceptor::~Acceptor() { loop_.remove(socket_.get()); }

SysResult<void> Acceptor::start() { return loop_.add(socket_.get(), EPOLLIN, *this); }

void Acceptor::ready(int fd, std::uint32_t) {
  if (fd < 0) {
    if (!loop_.change(socket_.get(), EPOLLIN, *this)) pause_.set(loop_.now() + kPause);
    return;
  }
  for (int i = 0; i < kAtOnce; ++i) {
    auto accepted = accept_stream(socket_.get());
    if (accepted) {
      admit_(std::move(*accepted));
      continue;
    }
    const int error = accepted.error().value;
    if (error == ECONNABORTED || error == EINTR) continue;
    if (error == EAGAIN) return;
    // Out of descriptors or memory: who waits goes on waiting, and we do not spin.
    (void)loop_.change(socket_.get(), 0, *this);
    return pause_.set(loop_.now() + kPause);
  }
}

}  // namespace sbx::egress
