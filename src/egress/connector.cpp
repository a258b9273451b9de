#include "egress/connector.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "egress/own_addresses.hpp"
#include "egress/proxy.hpp"
#include "egress/sockets.hpp"
#include "os/socket_mint.hpp"

namespace sbx::egress {
namespace {

constexpr std::size_t kMostAddresses = 6;

/// nullptr: none, or NO_PROXY names the target.
const network::Proxy* proxy_for(const network::Policy& policy, const Target& target) {
  if (!policy.proxy) return nullptr;
  const bool past = target.name.empty()
                        ? network::bypasses(*policy.proxy, target.asked)
                        : network::bypasses(*policy.proxy, target.name, target.asked.port);
  return past ? nullptr : &*policy.proxy;
}

/// Of the host's loopback network.host_ports means 127.0.0.1 and ::1, whatever address a name has.
network::Address meant_by(const network::Address& address) {
  const bool loopback = network::class_of(address) == network::AddressClass::loopback;
  return loopback && address.is_v4() ? network::v4(127, 0, 0, 1) : address;
}

std::string words_of(int error) { return ::strerrordesc_np(error); }

}  // namespace

Connector::Connector(Desk& desk, const Target& target, const Room& room, Done done)
    : desk_(desk),
      target_(target),
      room_(room),
      done_(std::move(done)),
      patience_(desk.loop, *this),
      self_(std::make_shared<Connector*>(this)) {
  refused_.verdict = Verdict::failed;
  refused_.problem = "it has no address";
}

Connector::~Connector() {
  *self_ = nullptr;
  drop_socket();
}

void Connector::drop_socket() {
  if (!socket_.valid()) return;
  desk_.loop.remove(socket_.get());
  socket_.reset();
  asked_ = false;
  answer_.clear();
}

void Connector::start() {
  if (target_.host_port) {
    // As asked first: who listens on ::1 alone is reached by ::1.
    const network::Address v4 = network::v4(127, 0, 0, 1);
    network::Address v6{};
    v6.bytes.back() = 1;
    const bool first = target_.asked.address.is_v4();
    left_ = {{first ? v6 : v4, target_.asked.port}, {first ? v4 : v6, target_.asked.port}};
    return try_next();
  }
  proxy_ = proxy_for(desk_.policy, target_);
  if (proxy_ != nullptr) {
    if (const auto address = network::parse_address(proxy_->host)) return choose({*address});
    return resolve(proxy_->host);
  }
  if (!target_.name.empty()) return resolve(target_.name);
  left_ = {target_.asked};
  try_next();
}

void Connector::resolve(const std::string& name) {
  desk_.resolver.resolve(name, [self = self_](const Resolved& found) {
    if (*self != nullptr) (*self)->resolved(found);
  });
}

void Connector::resolved(const Resolved& found) {
  switch (found.state) {
    case Resolved::State::found:
      return choose(found.addresses);
    case Resolved::State::no_such_name:
      return fail(proxy_ != nullptr ? "there is no such name as the proxy's"
                                    : "there is no such name");
    case Resolved::State::failed:
      return fail((proxy_ != nullptr ? "the proxy's" : "its") +
                  (" name could not be resolved: " + found.problem));
  }
}

void Connector::choose(const std::vector<network::Address>& addresses) {
  for (const network::Address& address : addresses) {
    if (left_.size() == kMostAddresses) break;
    if (proxy_ != nullptr) {  // whose host the operator has named
      left_.push_back({address, proxy_->port});
      continue;
    }
    const network::Endpoint endpoint{address, target_.asked.port};
    const network::Decision decision =
        network::decide_resolved(desk_.policy, target_.protocol, target_.name, endpoint,
                                 is_own_address(address).value_or(true));
    if (decision.allowed)
      left_.push_back({meant_by(address), endpoint.port});
    else
      refused_ = {{}, Verdict::denied, decision.because, decision.allow_with, {}};
  }
  std::ranges::reverse(left_);
  try_next();
}

void Connector::try_next() {
  while (!left_.empty()) {
    const network::Endpoint next = left_.back();
    left_.pop_back();
    tried_ = next;
    auto started = start_connect(next, room_);
    if (!started) {
      refused_ = {{}, Verdict::failed, problem(started.error().value), {}, {}};
      continue;
    }
    socket_ = std::move(*started);
    if (!desk_.loop.add(socket_.get(), EPOLLOUT, *this)) {
      socket_.reset();
      return fail("no room to wait for it");
    }
    return patience_.set(desk_.loop.now() + desk_.per_address);
  }
  // Never from within start(): the caller is not ready for an answer yet.
  patience_.set(desk_.loop.now());
}

void Connector::ready(int fd, std::uint32_t) {
  if (fd < 0) {
    if (!socket_.valid()) return finish(std::move(refused_));
    drop_socket();
    refused_ = {{}, Verdict::failed, problem(ETIMEDOUT), {}, {}};
    return try_next();
  }
  if (asked_) return hear_proxy();
  int error = os::pending_error(fd);
  if (error == 0 && met_itself()) error = ECONNREFUSED;
  if (error != 0) {
    drop_socket();
    refused_ = {{}, Verdict::failed, problem(error), {}, {}};
    return try_next();
  }
  if (proxy_ != nullptr) return ask_proxy();
  connected();
}

/// Where a proxy stands between, it is the proxy that was not reached: nobody has asked the target.
std::string Connector::problem(int error) const {
  return (proxy_ != nullptr ? "the proxy could not be reached: " : "") + words_of(error);
}

/// Nobody listens there, and the kernel has given the socket the very port that it connects to: two
/// ends that are one (RFC 9293 3.5, simultaneous open).
bool Connector::met_itself() {
  const auto own = local_end(socket_.get());
  if (!own || *own != tried_) return false;
  reset_on_close(socket_.get());  // else the port would wait for latecomers
  return true;
}

void Connector::connected() {
  desk_.loop.remove(socket_.get());
  Opened opened;
  opened.socket = std::move(socket_);
  finish(std::move(opened));
}

void Connector::ask_proxy() {
  const std::string request = proxy_request(*proxy_, target_.host(), target_.asked.port);
  // A new socket's buffer has room for it.
  if (::send(socket_.get(), request.data(), request.size(), MSG_NOSIGNAL) !=
          static_cast<ssize_t>(request.size()) ||
      !desk_.loop.change(socket_.get(), EPOLLIN, *this)) {
    drop_socket();
    return fail("the proxy does not listen");
  }
  asked_ = true;
}

void Connector::hear_proxy() {
  std::array<char, 2048> buffer{};
  const ssize_t size = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size > 0) answer_.append(buffer.data(), static_cast<std::size_t>(size));
  const auto read = read_proxy_answer(answer_);
  if (size > 0 && !read) return;
  if (read && read->problem.empty()) {
    desk_.loop.remove(socket_.get());
    Opened opened;
    opened.socket = std::move(socket_);
    opened.early = answer_.substr(read->size);
    return finish(std::move(opened));
  }
  drop_socket();
  fail(read ? read->problem : "the proxy hangs up");
}

void Connector::fail(std::string problem) {
  left_.clear();
  refused_ = {{}, Verdict::failed, std::move(problem), {}, {}};
  patience_.set(desk_.loop.now());
}

void Connector::finish(Opened opened) {
  patience_.cancel();
  done_(std::move(opened));
}

}  // namespace sbx::egress
