#include "egress/publisher.hpp"

#include <utility>

#include "egress/sockets.hpp"

namespace sbx::egress {
Publisher::Publisher(Desk& desk, Published published, os::SocketMint& mint, Take take)
    : desk_(desk),
      what_(published.what),
      mint_(mint),
      take_(std::move(take)),
      acceptor_(desk.loop, std::move(published.socket), [this](auto fd) { admit(std::move(fd)); }) {
}

void Publisher::admit(os::UniqueFd accepted) {
  Target target;
  target.asked = {what_.address, what_.host_port};
  target.verdict = Verdict::published;
  target.decision.allowed = true;
  const bool exhausted = desk_.throttle.exhausted();
  const bool free = !exhausted && desk_.slots.take();
  if (free) keep_within(accepted.get(), published_room(desk_.slots.taken()));
  // It begins to connect; whether somebody listens inside shows when bytes are carried.
  auto inside = free ? mint_.connect_inside(what_.port)
                     : SysResult<os::UniqueFd>(std::unexpected(Errno{EBUSY}));
  if (inside) return take_(std::move(*inside), std::move(accepted), std::move(target));
  if (free) desk_.slots.release();
  reset_on_close(accepted.get());
  desk_.account.note({.host = target.host(),
                      .port = target.asked.port,
                      .verdict = free ? Verdict::failed : Verdict::limited,
                      .reason = free        ? "the sandbox could not be reached"
                                : exhausted ? "network.limits.total is used up"
                                            : "network.limits.connections are alive already"});
}

}  // namespace sbx::egress
