#include "egress/publisher.hpp"

#include <cerrno>
#include <utility>

#include "egress/sockets.hpp"

namespace sbx::egress {
namespace {

constexpr int kAtOnce = 32;
constexpr Nanos kPause = 20 * kMilli;

}  // namespace

Publisher::Publisher(Desk& desk, Published published, os::SocketMint& mint, Take take)
    : desk_(desk),
      published_(std::move(published)),
      mint_(mint),
      take_(std::move(take)),
      pause_(desk.loop, *this) {}

Publisher::~Publisher() { desk_.loop.remove(published_.socket.get()); }

SysResult<void> Publisher::start() {
  return desk_.loop.add(published_.socket.get(), EPOLLIN, *this);
}

void Publisher::ready(int fd, std::uint32_t) {
  if (fd < 0) {
    if (!desk_.loop.change(published_.socket.get(), EPOLLIN, *this))
      pause_.set(desk_.loop.now() + kPause);
    return;
  }
  for (int i = 0; i < kAtOnce; ++i) {
    auto accepted = accept_stream(published_.socket.get());
    if (accepted) {
      admit(std::move(*accepted));
      continue;
    }
    const int error = accepted.error().value;
    if (error == ECONNABORTED || error == EINTR) continue;
    if (error == EAGAIN) return;
    (void)desk_.loop.change(published_.socket.get(), 0, *this);
    return pause_.set(desk_.loop.now() + kPause);
  }
}

void Publisher::admit(os::UniqueFd accepted) {
  Target target;
  target.asked = {published_.what.address, published_.what.host_port};
  target.verdict = Verdict::published;
  target.decision.allowed = true;
  const bool exhausted = desk_.throttle.exhausted();
  const bool free = !exhausted && desk_.slots.take();
  // It begins to connect; whether somebody listens inside shows when bytes are carried.
  auto inside = free ? mint_.connect_inside(published_.what.port)
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
