#include "egress/listener.hpp"

#include <cerrno>
#include <utility>

#include "egress/sockets.hpp"

namespace sbx::egress {
namespace {

constexpr int kAtOnce = 32;
constexpr Nanos kPause = 20 * kMilli;

}  // namespace

Listener::Listener(Desk& desk, os::UniqueFd socket, Take take)
    : desk_(desk), socket_(std::move(socket)), take_(std::move(take)), pause_(desk.loop, *this) {}

Listener::~Listener() { desk_.loop.remove(socket_.get()); }

SysResult<void> Listener::start() { return desk_.loop.add(socket_.get(), EPOLLIN, *this); }

void Listener::ready(int fd, std::uint32_t) {
  if (fd < 0) {
    if (!desk_.loop.change(socket_.get(), EPOLLIN, *this)) pause_.set(desk_.loop.now() + kPause);
    return;
  }
  for (int i = 0; i < kAtOnce; ++i) {
    auto accepted = accept_stream(socket_.get());
    if (accepted) {
      admit(std::move(*accepted));
      continue;
    }
    const int error = accepted.error().value;
    if (error == ECONNABORTED || error == EINTR) continue;
    if (error == EAGAIN) return;
    // Out of descriptors or memory: who waits goes on waiting, and we do not spin.
    (void)desk_.loop.change(socket_.get(), 0, *this);
    return pause_.set(desk_.loop.now() + kPause);
  }
}

void Listener::admit(os::UniqueFd accepted) {
  const auto asked = local_end(accepted.get());
  if (!asked) return;  // it was reset meanwhile
  Target target = target_of(desk_, network::Protocol::tcp, *asked);
  if (!target.decision.allowed) return refuse(std::move(accepted), target, Verdict::denied);
  if (desk_.throttle.exhausted()) {
    target.decision.because = "network.limits.total is used up";
    return refuse(std::move(accepted), target, Verdict::limited);
  }
  if (!desk_.slots.take()) {
    target.decision.because = "network.limits.connections are alive already";
    return refuse(std::move(accepted), target, Verdict::limited);
  }
  take_(std::move(accepted), std::move(target));
}

void Listener::refuse(os::UniqueFd accepted, const Target& target, Verdict verdict) {
  reset_on_close(accepted.get());
  desk_.account.note({.protocol = target.protocol,
                      .host = target.host(),
                      .port = target.asked.port,
                      .verdict = verdict,
                      .reason = target.decision.because,
                      .allow_with = target.decision.allow_with});
}

}  // namespace sbx::egress
