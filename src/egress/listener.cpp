#include "egress/listener.hpp"

#include <utility>

#include "egress/sockets.hpp"

namespace sbx::egress {
Listener::Listener(Desk& desk, os::UniqueFd socket, Take take)
    : desk_(desk),
      take_(std::move(take)),
      acceptor_(desk.loop, std::move(socket), [this](auto fd) { admit(std::move(fd)); }) {}

SysResult<void> Listener::start() {
  notice_loss(acceptor_.get(), kInsideSilence);
  return acceptor_.start();
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
