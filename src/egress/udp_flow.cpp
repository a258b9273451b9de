// The life of a flow. What cannot go on is dropped, as datagrams may be.
#include "egress/udp_flow.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "egress/own_addresses.hpp"
#include "egress/sockets.hpp"

namespace sbx::egress {
namespace {

/// RFC 4787 4.3 wants two minutes of a NAT, for flows that have been answered; the others are what
/// floods are made of.
constexpr Nanos kUnanswered = 30 * kSecond;
constexpr Nanos kAnswered = 180 * kSecond;
constexpr std::size_t kMostHeld = 4;
constexpr std::size_t kMostTried = 6;  ///< addresses of one name
constexpr int kAtOnce = 16;

}  // namespace

UdpFlow::UdpFlow(Desk& desk, Target target, Waiting& waiting, std::span<std::uint8_t> room,
                 Owner owner)
    : desk_(desk),
      target_(std::move(target)),
      waiting_(waiting),
      room_(room),
      owner_(std::move(owner)),
      idle_(desk.loop, *this) {}

UdpFlow::~UdpFlow() {
  if (!ended_) drop();
}

void UdpFlow::start() {
  last_ = desk_.loop.now();
  rest();
  if (target_.name.empty()) {
    left_ = {target_.asked};
    return open();
  }
  desk_.resolver.resolve(target_.name, [self = std::weak_ptr(self_)](const Resolved& found) {
    if (const auto flow = self.lock()) (*flow)->resolved(found);
  });
}

void UdpFlow::resolved(const Resolved& found) {
  if (ended_) return;
  if (found.state == Resolved::State::no_such_name)
    return fail(Verdict::failed, "there is no such name");
  if (found.state == Resolved::State::failed)
    return fail(Verdict::failed, "its name could not be resolved: " + found.problem);
  network::Decision refused;
  for (const network::Address& address : found.addresses) {
    const network::Endpoint endpoint{address, target_.asked.port};
    auto decision = network::decide_resolved(desk_.policy, target_.protocol, target_.name, endpoint,
                                             is_own_address(address).value_or(true));
    if (decision.allowed)
      left_.push_back(endpoint);
    else
      refused = std::move(decision);
    if (left_.size() == kMostTried) break;
  }
  if (left_.empty()) return fail(Verdict::denied, refused.because, refused.allow_with);
  std::ranges::reverse(left_);
  open();
}

void UdpFlow::open() {
  const auto connected = connect_next();
  if (!connected.has_value())
    return fail(Verdict::failed, ::strerrordesc_np(connected.error().value));
  opened();
}

SysResult<void> UdpFlow::connect_next() {
  Errno last{ECONNREFUSED};
  while (!left_.empty()) {
    const network::Endpoint next = left_.back();
    left_.pop_back();
    const auto connected = connect_to(next);
    if (connected.has_value()) return {};
    last = connected.error();  // no route for its family: the next one may have
  }
  return std::unexpected(last);
}

SysResult<void> UdpFlow::connect_to(const network::Endpoint& endpoint) {
  sockaddr_storage address{};
  const socklen_t size = to_sockaddr(endpoint, false, address);
  os::UniqueFd made(::socket(address.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!made.valid() ||
      ::connect(made.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0)
    return std::unexpected(Errno{errno});
  SBX_CHECK(desk_.loop.add(made.get(), EPOLLIN, *this));
  desk_.loop.remove(socket_.get());
  socket_ = std::move(made);
  return {};
}

void UdpFlow::opened() {
  counted_ = &note(target_.verdict, {}, {});
  for (const auto& one : std::exchange(held_, {})) {
    waiting_.bytes -= one.size();
    send(one);
  }
}

void UdpFlow::conclude() {
  if (counted_ == nullptr) note(Verdict::failed, "the run ended before its name was resolved", {});
}

void UdpFlow::send(Bytes bytes) {
  if (ended_) return;
  last_ = desk_.loop.now();
  if (!socket_.valid()) {
    if (held_.size() >= kMostHeld || waiting_.bytes + bytes.size() > Waiting::kMostBytes) return;
    held_.emplace_back(bytes.begin(), bytes.end());
    waiting_.bytes += bytes.size();
    return;
  }
  if (!passes(Direction::up, bytes.size())) return;
  if (::send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
    counted_->sent += bytes.size();
  else if (errno == ECONNREFUSED)
    unreachable(errno);
  else
    desk_.throttle.refund(Direction::up, bytes.size());
}

void UdpFlow::ready(int fd, std::uint32_t /*events*/) {
  if (fd < 0) return rest();
  for (int count = 0; count < kAtOnce && receive(); ++count) {
  }
}

bool UdpFlow::receive() {
  const auto got = ::recv(socket_.get(), room_.data(), room_.size(), MSG_DONTWAIT);
  if (got < 0) {
    if (errno == ECONNREFUSED) unreachable(errno);
    return false;
  }
  last_ = desk_.loop.now();
  heard_ = true;
  const auto size = static_cast<std::size_t>(got);
  if (passes(Direction::down, size)) {
    counted_->received += size;
    owner_.deliver(room_.first(size));
  }
  return !ended_;
}

/// An ICMP message: nobody listens there. What was sent is lost; what the payload sends again goes
/// to the name's next address.
void UdpFlow::unreachable(int error) {
  if (!heard_ && connect_next().has_value()) return;
  fail(Verdict::failed, ::strerrordesc_np(error));
}

bool UdpFlow::passes(Direction direction, std::size_t size) {
  if (desk_.throttle.grant_whole(direction, size, desk_.loop.now())) return true;
  if (desk_.throttle.exhausted()) fail(Verdict::limited, "network.limits.total is used up");
  return false;
}

/// Not set anew by each datagram: it looks when it rings.
void UdpFlow::rest() {
  const Nanos until = last_ + (heard_ ? kAnswered : kUnanswered);
  if (until <= desk_.loop.now())
    end();
  else
    idle_.set(until);
}

void UdpFlow::give_way() {
  if (counted_ == nullptr)
    note(Verdict::limited, "network.limits.connections are alive already", {});
  end();
}

void UdpFlow::drop() {
  forget();
  desk_.loop.remove(socket_.get());
  desk_.slots.release();
}

void UdpFlow::forget() {
  for (const auto& one : held_) waiting_.bytes -= one.size();
  held_.clear();
}

void UdpFlow::fail(Verdict verdict, std::string reason, std::string allow_with) {
  note(verdict, std::move(reason), std::move(allow_with));
  end();
}

void UdpFlow::end() {
  if (std::exchange(ended_, true)) return;
  idle_.cancel();
  drop();
  owner_.ended();
}

Connections& UdpFlow::note(Verdict verdict, std::string reason, std::string allow_with) {
  return desk_.account.note({.protocol = network::Protocol::udp,
                             .host = target_.host(),
                             .port = target_.asked.port,
                             .verdict = verdict,
                             .reason = std::move(reason),
                             .allow_with = std::move(allow_with)});
}

}  // namespace sbx::egress
