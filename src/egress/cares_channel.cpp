// c-ares 1.18, see ares_init_options(3), ares_getaddrinfo(3), ares_process_fd(3).
#include "egress/cares_channel.hpp"

#include <ares.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>

#include "os/fd.hpp"

namespace sbx::egress {
namespace {

using network::Address;

constexpr std::size_t kMostAddresses = 64;
constexpr int kUdpSize = 1232;  // what fits everywhere: DNS Flag Day 2020

/// ares_set_socket_functions(3): as c-ares' own, but not inherited by a program that sbx starts,
/// and never in the place of a standard stream.
ares_socket_t make_socket(int family, int type, int protocol, void* /*data*/) {
  os::UniqueFd made(::socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol));
  if (!made.valid() || made.get() > STDERR_FILENO) return made.release();
  return ::fcntl(made.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

int close_socket(ares_socket_t socket, void* /*data*/) { return ::close(socket); }

int connect_socket(ares_socket_t socket, const sockaddr* to, ares_socklen_t size, void* /*data*/) {
  return ::connect(socket, to, size);
}

ares_ssize_t receive(ares_socket_t socket, void* into, size_t size, int flags, sockaddr* from,
                     ares_socklen_t* from_size, void* /*data*/) {
  return ::recvfrom(socket, into, size, flags, from, from_size);
}

ares_ssize_t send_all(ares_socket_t socket, const iovec* parts, int count, void* /*data*/) {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts);
  message.msg_iovlen = static_cast<size_t>(count);
  return ::sendmsg(socket, &message, MSG_NOSIGNAL);
}

constexpr ares_socket_functions kSocketFunctions{.asocket = make_socket,
                                                 .aclose = close_socket,
                                                 .aconnect = connect_socket,
                                                 .arecvfrom = receive,
                                                 .asendv = send_all};

Address address_of(const sockaddr& from) {
  if (from.sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &from, sizeof v4);
    std::array<std::uint8_t, 4> bytes{};
    std::memcpy(bytes.data(), &v4.sin_addr, bytes.size());
    return network::v4(bytes[0], bytes[1], bytes[2], bytes[3]);
  }
  sockaddr_in6 v6{};
  std::memcpy(&v6, &from, sizeof v6);
  Address address;
  std::memcpy(address.bytes.data(), &v6.sin6_addr, address.bytes.size());
  return address;
}

Resolved found(const ares_addrinfo& info) {
  Resolved resolved{.state = Resolved::State::found};
  int ttl = -1;
  const auto shortest = [&](int other) { ttl = ttl < 0 ? other : std::min(ttl, other); };
  for (const auto* node = info.nodes; node != nullptr; node = node->ai_next) {
    if (node->ai_family != AF_INET && node->ai_family != AF_INET6) continue;
    shortest(std::max(node->ai_ttl, 0));
    if (resolved.addresses.size() < kMostAddresses)
      resolved.addresses.push_back(address_of(*node->ai_addr));
  }
  for (const auto* alias = info.cnames; alias != nullptr; alias = alias->next)
    shortest(std::max(alias->ttl, 0));
  if (resolved.addresses.empty()) return {.state = Resolved::State::no_such_name};
  resolved.ttl = static_cast<std::uint32_t>(std::max(ttl, 0));
  return resolved;
}

/// ares_strerror(3), to stand inside a sentence.
std::string words(int status) {
  // Also of a server that says SERVFAIL or REFUSED, when there is no other.
  if (status == ARES_ECONNREFUSED) return "no DNS server has an answer";
  std::string text = ares_strerror(status);
  const auto is_upper = [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; };
  if (text.size() > 1 && !is_upper(text[1]))
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

Resolved result_of(int status, const ares_addrinfo* info) {
  switch (status) {
    case ARES_SUCCESS:
      if (info != nullptr) return found(*info);
      return {.state = Resolved::State::no_such_name};
    case ARES_ENOTFOUND:
    case ARES_ENODATA:
    case ARES_EBADNAME:  // what no server could know
      return {.state = Resolved::State::no_such_name};
    default:
      return {.state = Resolved::State::failed, .problem = words(status)};
  }
}

}  // namespace

std::expected<std::unique_ptr<CaresChannel>, std::string> CaresChannel::make(
    Loop& loop, const std::string& servers, Answered answered) {
  std::unique_ptr<CaresChannel> made(new CaresChannel(loop, std::move(answered)));
  if (auto problem = made->open(servers); !problem.empty())
    return std::unexpected(std::move(problem));
  return made;
}

std::string CaresChannel::open(const std::string& servers) {
  ares_options options{};
  options.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES | ARES_FLAG_EDNS;
  options.ednspsz = kUdpSize;
  options.timeout = 1500;  // milliseconds; doubled the second time
  options.tries = 2;
  options.ndomains = 0;
  std::string lookups =
      "fb";  // files, then DNS: what nsswitch.conf(5) may say besides, c-ares lacks
  options.lookups = lookups.data();
  options.sock_state_cb = [](void* self, ares_socket_t fd, int readable, int writable) {
    static_cast<CaresChannel*>(self)->watch(fd, readable != 0, writable != 0);
  };
  options.sock_state_cb_data = this;
  const int wanted = ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_DOMAINS |
                     ARES_OPT_LOOKUPS | ARES_OPT_SOCK_STATE_CB | ARES_OPT_EDNSPSZ;
  if (const int status = ares_init_options(&handle_, &options, wanted); status != ARES_SUCCESS) {
    handle_ = nullptr;
    return words(status);
  }
  ares_set_socket_functions(handle_, &kSocketFunctions, nullptr);
  if (servers.empty()) return {};
  const int status = ares_set_servers_ports_csv(handle_, servers.c_str());
  return status == ARES_SUCCESS ? std::string() : words(status);
}

CaresChannel::~CaresChannel() {
  if (handle_ != nullptr) ares_destroy(handle_);  // calls take() for what is open
}

void CaresChannel::ask(const std::string& name) {
  ares_addrinfo_hints hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  const auto question =
      open_.insert(std::make_unique<Question>(Question{.channel = *this, .name = name})).first;
  const auto take = [](void* asked, int status, int /*timeouts*/, ares_addrinfo* info) {
    const auto& of = *static_cast<Question*>(asked);
    const Resolved answer = result_of(status, info);
    if (info != nullptr) ares_freeaddrinfo(info);
    of.channel.take(of, answer);
  };
  ares_getaddrinfo(handle_, name.c_str(), nullptr, &hints, take, question->get());
  settle();
}

void CaresChannel::take(const Question& question, const Resolved& answer) {
  told_.emplace_back(question.name, answer);
  std::erase_if(open_, [&](const auto& one) { return one.get() == &question; });
}

void CaresChannel::ready(int fd, std::uint32_t events) {
  // An error of the socket is what the next call with it tells.
  const bool readable = fd >= 0 && (events & ~std::uint32_t{EPOLLOUT}) != 0;
  const bool writable = fd >= 0 && (events & EPOLLOUT) != 0;
  ares_process_fd(handle_, readable ? fd : ARES_SOCKET_BAD, writable ? fd : ARES_SOCKET_BAD);
  settle();
}

void CaresChannel::watch(int fd, bool readable, bool writable) {
  const std::uint32_t events =
      (readable ? std::uint32_t{EPOLLIN} : 0U) | (writable ? std::uint32_t{EPOLLOUT} : 0U);
  if (events == 0) {
    if (watched_.erase(fd) != 0) loop_.remove(fd);
    return;
  }
  // When the loop cannot have it, the question ends by its time.
  if (watched_.contains(fd))
    static_cast<void>(loop_.change(fd, events, *this));
  else if (loop_.add(fd, events, *this).has_value())
    watched_.insert(fd);
}

void CaresChannel::settle() {
  while (!told_.empty()) {
    for (const auto& [name, answer] : std::exchange(told_, {})) answered_(name, answer);
  }
  timeval left{};
  if (ares_timeout(handle_, nullptr, &left) == nullptr)
    alarm_.cancel();
  else
    alarm_.set(loop_.now() + Nanos{left.tv_sec} * kSecond + Nanos{left.tv_usec} * 1000);
}

}  // namespace sbx::egress
