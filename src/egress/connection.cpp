#include "egress/connection.hpp"

#include <algorithm>
#include <utility>

#include "egress/sockets.hpp"
#include "os/pipe.hpp"

namespace sbx::egress {
namespace {

/// Of unacknowledged(): nothing but the end of the stream, which costs no memory worth a slot.
constexpr std::size_t kEndAlone = 1;

}  // namespace

Connection::Connection(Desk& desk, os::UniqueFd inside, Target target, Ended ended)
    : desk_(desk),
      target_(std::move(target)),
      ended_(std::move(ended)),
      inside_{std::move(inside)},
      up_(desk.pipes, desk.throttle, Direction::up),
      down_(desk.pipes, desk.throttle, Direction::down),
      alarm_(desk.loop, *this),
      idle_(desk.loop, *this) {
  keep_within(inside_.socket.get(), inside_room(desk_.slots.taken()));
  pass_at_once(inside_.socket.get());
}

Connection::~Connection() {
  if (inside_.watched != 0) desk_.loop.remove(inside_.socket.get());
  if (outside_.watched != 0) desk_.loop.remove(outside_.socket.get());
  desk_.slots.release();
}

void Connection::note(Verdict verdict, std::string reason, std::string allow_with) {
  counted_ = &desk_.account.note({.protocol = target_.protocol,
                                  .host = target_.host(),
                                  .port = target_.asked.port,
                                  .verdict = verdict,
                                  .reason = std::move(reason),
                                  .allow_with = std::move(allow_with)});
}

void Connection::open() {
  if (!target_.name.empty() && desk_.policy.verify_name) {
    up_.guard_with(Guard(target_.name, target_.asked.port));
    down_.note_start();
  }
  connector_ = std::make_unique<Connector>(desk_, target_, outside_room(desk_.slots.taken()),
                                           [this](Opened result) { opened(std::move(result)); });
  connector_->start();
}

void Connection::opened(Opened result) {
  desk_.loop.bury(std::move(connector_));
  if (!result.socket.valid()) {
    note(result.verdict, std::move(result.problem), std::move(result.allow_with));
    return reset();
  }
  down_.put_first(std::move(result.early));
  carry(std::move(result.socket));
}

void Connection::carry(os::UniqueFd outside) {
  outside_.socket = std::move(outside);
  last_ = desk_.loop.now();
  idle_.set(last_ + desk_.patience);
  pump(true, true);
}

void Connection::ready(int fd, std::uint32_t events) {
  if (over_ || !outside_.socket.valid()) return;
  if (fd < 0) return idle_.is_set() ? pump(true, true) : look();
  const bool at_inside = fd == inside_.socket.get();
  const bool lost = (events & (EPOLLERR | EPOLLHUP)) != 0;
  // Of a side that nothing is asked of now, only a reset is told (see rest()).
  if ((at_inside ? inside_ : outside_).watched == EPOLLET) {
    if ((events & EPOLLERR) != 0) reset();
    return;
  }
  const bool in = lost || (events & EPOLLIN) != 0;
  const bool out = lost || (events & EPOLLOUT) != 0;
  pump(at_inside ? in : out, at_inside ? out : in);
}

void Connection::pump(bool up, bool down) {
  const int in = inside_.socket.get();
  const int out = outside_.socket.get();
  const Nanos now = desk_.loop.now();
  if (up) up_needs_ = up_.pump(in, out, now, sent_);
  if (down) down_needs_ = down_.pump(out, in, now, received_);
  const auto& guard = up_.guard();
  if (up_needs_ == Half::Need::answer && guard &&
      (down_.start().size() >= guard->wanted() || down_needs_ == Half::Need::end)) {
    up_.answered(down_.start());
    up_needs_ = up_.pump(in, out, now, sent_);
  }
  const bool ended = up_needs_ == Half::Need::end || down_needs_ == Half::Need::end;
  if (sent_ + received_ > 0 || (ended && !halved_)) last_ = now;
  halved_ = halved_ || ended;
  count();
  if (up_needs_ == Half::Need::broken || down_needs_ == Half::Need::broken) return refuse();
  rest();
  if (up_needs_ == Half::Need::end && down_needs_ == Half::Need::end && !over_) drain();
}

/// Both have ended. What they do not take the kernel would keep for them, without limit, for as
/// long as they like; so the slot is taken until they have it all.
void Connection::drain() {
  constexpr Nanos kFirst = 10 * kMilli;
  const std::size_t inside = unacknowledged(inside_.socket.get());
  const std::size_t outside = unacknowledged(outside_.socket.get());
  if (inside <= kEndAlone && outside <= kEndAlone) return end();
  if (next_drain_ == 0) {
    const auto patience = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::nanoseconds(desk_.patience));
    give_up_after(inside_.socket.get(), patience);
    give_up_after(outside_.socket.get(), patience);
  }
  if (inside + outside < unsent_) last_ = desk_.loop.now();
  unsent_ = inside + outside;
  next_drain_ = next_drain_ == 0 ? kFirst : std::min<Nanos>(2 * next_drain_, kSecond);
  alarm_.set(desk_.loop.now() + next_drain_);
}

void Connection::count() {
  if (counted_ == nullptr && up_.guard() && sent_ == 0 && received_ == 0) return;
  if (counted_ == nullptr) note(target_.verdict, {}, {});
  counted_->sent += std::exchange(sent_, 0);
  counted_->received += std::exchange(received_, 0);
}

void Connection::refuse() {
  if (const auto& guard = up_.guard(); guard && guard->refused())
    note(Verdict::denied, guard->problem(), "network: {verify_name: false}");
  else if (desk_.throttle.exhausted())
    note(Verdict::limited, "network.limits.total is used up", {});
  reset();
}

void Connection::rest() {
  using Need = Half::Need;
  const std::uint32_t inside =
      (up_needs_ == Need::input ? EPOLLIN : 0U) | (down_needs_ == Need::output ? EPOLLOUT : 0U);
  const std::uint32_t outside =
      (down_needs_ == Need::input ? EPOLLIN : 0U) | (up_needs_ == Need::output ? EPOLLOUT : 0U);
  // EPOLLHUP and EPOLLERR are always told: edge-triggered, so that what cannot be acted on now is
  // told once.
  if (!watch(inside_, inside != 0 ? inside : EPOLLET) ||
      !watch(outside_, outside != 0 ? outside : EPOLLET))
    return reset();
  if (up_needs_ != Need::time && down_needs_ != Need::time) return alarm_.cancel();
  Nanos at = desk_.throttle.when(up_needs_ == Need::time ? Direction::up : Direction::down);
  if (up_needs_ == Need::time && down_needs_ == Need::time)
    at = std::min(at, desk_.throttle.when(Direction::down));
  alarm_.set(std::max(at, desk_.loop.now() + kMilli));
}

/// A program that leaks what its server has closed, or has ended while its server is silent: the
/// other side may never say a word again, nor ever end.
void Connection::look() {
  const Nanos now = desk_.loop.now();
  const bool held = up_needs_ == Half::Need::time || down_needs_ == Half::Need::time;  // by us
  const bool silent = !held && last_ + desk_.patience <= now;
  if (silent && halved_) return reset();
  if (silent) {
    // Its end may wait behind bytes that nobody takes: the other side has its time from now on.
    halved_ =
        other_end_has_ended(inside_.socket.get()) || other_end_has_ended(outside_.socket.get());
    last_ = now;
  }
  idle_.set((held ? now : last_) + desk_.patience);
}

bool Connection::watch(Side& side, std::uint32_t events) {
  if (side.watched == events) return true;
  const int fd = side.socket.get();
  const bool added = side.watched == 0 ? desk_.loop.add(fd, events, *this).has_value()
                                       : desk_.loop.change(fd, events, *this).has_value();
  if (added) side.watched = events;
  return added;
}

bool Connection::has_to_send() const {
  if (over_) return false;
  if (connector_ != nullptr) return os::bytes_waiting(inside_.socket.get()) > 0;
  return up_needs_ != Half::Need::end || unacknowledged(outside_.socket.get()) > kEndAlone;
}

void Connection::conclude() {
  // What is cut short is not to look complete to a server that goes by the end.
  if (outside_.socket.valid() && has_to_send()) reset_on_close(outside_.socket.get());
  if (counted_ != nullptr) return;
  if (outside_.socket.valid())
    note(target_.verdict, {}, {});
  else
    note(Verdict::failed, "the run ended before it was connected", {});
}

void Connection::reset() {
  reset_on_close(inside_.socket.get());
  if (outside_.socket.valid()) reset_on_close(outside_.socket.get());
  end();
}

void Connection::end() {
  if (over_) return;
  over_ = true;
  if (counted_ == nullptr) note(target_.verdict, {}, {});  // and nothing was said
  alarm_.cancel();
  idle_.cancel();
  ended_(this);
}

}  // namespace sbx::egress
