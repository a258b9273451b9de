// Datagrams and connections to port 53 of any address inside.
#include "egress/dns_service.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <utility>

#include "egress/sockets.hpp"

namespace sbx::egress {
namespace {

constexpr int kAtOnce = 32;  ///< datagrams, connections: of one round
constexpr std::size_t kMostWaiting = 256;
constexpr std::size_t kMostStreams = 16;
constexpr Nanos kPause = 100 * kMilli;
constexpr std::size_t kLongestQuery = 4096;

}  // namespace

DnsService::DnsService(Desk& desk, bool v6)
    : loop_(desk.loop),
      server_(desk.policy, desk.names, desk.resolver, desk.account, v6),
      pause_(desk.loop, *this) {}

DnsService::~DnsService() {
  if (udp_ != nullptr) loop_.remove(udp_->get());
  loop_.remove(tcp_.get());
}

SysResult<void> DnsService::start(os::UniqueFd udp, os::UniqueFd tcp) {
  udp_ = std::make_unique<DatagramSocket>(std::move(udp));
  tcp_ = std::move(tcp);
  keep_within(tcp_.get(), kLeastRoom);
  SBX_CHECK(loop_.add(udp_->get(), EPOLLIN, *this));
  return loop_.add(tcp_.get(), EPOLLIN, *this);
}

void DnsService::ready(int fd, std::uint32_t /*events*/) {
  if (fd < 0) {
    // Failing again, it comes here again.
    if (!loop_.change(tcp_.get(), EPOLLIN, *this).has_value()) pause_.set(loop_.now() + kPause);
  } else if (fd == tcp_.get()) {
    accept();
  } else {
    for (int count = 0; count < kAtOnce && answer_datagram(); ++count) {
    }
  }
}

bool DnsService::answer_datagram() {
  std::array<std::uint8_t, kLongestQuery> room{};
  const auto got = udp_->receive(room);
  // Any other error is of one datagram (of an ICMP message, say), and is gone now.
  if (!got.has_value()) return got.error().value != EAGAIN;
  if (!got->whole) return true;
  ++waiting_;
  server_.answer(got->bytes, waiting_ <= kMostWaiting,
                 [this, to = got->from, from = got->to](const std::string& message) {
                   --waiting_;
                   reply(to, from, message);
                 });
  return true;
}

void DnsService::reply(const network::Endpoint& to, const network::Address& from,
                       const std::string& message) {
  if (message.empty()) return;
  // What cannot be sent is lost, as datagrams may be: who asks asks again.
  static_cast<void>(udp_->send(
      std::span(reinterpret_cast<const std::uint8_t*>(message.data()), message.size()), from, to));
}

void DnsService::accept() {
  for (int count = 0; count < kAtOnce; ++count) {
    auto accepted = accept_stream(tcp_.get());
    if (accepted.has_value()) {
      admit(std::move(*accepted));
      continue;
    }
    const int error = accepted.error().value;
    if (error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS) {
      static_cast<void>(loop_.change(tcp_.get(), 0, *this));
      pause_.set(loop_.now() + kPause);
    }
    return;
  }
}

void DnsService::admit(os::UniqueFd accepted) {
  if (streams_.size() >= kMostStreams) {
    const auto oldest = std::ranges::min_element(streams_, [](const auto& a, const auto& b) {
      return std::pair(!a->idle(), a->since()) < std::pair(!b->idle(), b->since());
    });
    end(**oldest);
  }
  auto stream = std::make_unique<DnsStream>(loop_, server_, std::move(accepted),
                                            [this](const DnsStream& over) { end(over); });
  if (stream->start().has_value()) streams_.push_back(std::move(stream));
}

void DnsService::end(const DnsStream& stream) {
  const auto found =
      std::ranges::find_if(streams_, [&](const auto& one) { return one.get() == &stream; });
  if (found == streams_.end()) return;  // it has ended twice in one round
  loop_.bury(std::move(*found));
  streams_.erase(found);
}

}  // namespace sbx::egress
