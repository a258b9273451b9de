#include "os/socket_mint.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/fail.hpp"
#include "os/inner_socket.hpp"

namespace sbx::os {
namespace {

/// How many may wait at once: ours, and what of the payload's comes between.
constexpr int kBacklog = 8;
/// Loopback delivers within connect(2) already; on a host without a free processor a softirq may
/// have to wait for its turn.
constexpr int kPatienceMs = 2;

SysResult<void> disconnect(int socket) noexcept {
  ::sockaddr none{};
  none.sa_family = AF_UNSPEC;
  if (::connect(socket, &none, sizeof none) != 0) return fail();
  return {};
}

/// Of an accepted one. The kernel makes what comes from an IPv6 connection an IPv6-only socket.
SysResult<void> make_new(int socket) noexcept {
  SBX_CHECK(disconnect(socket));
  const int off = 0;
  if (is_v6(socket) && ::setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) != 0)
    return fail();
  return {};
}

struct Name {
  ::sockaddr_storage address{};
  ::socklen_t size = sizeof address;

  bool operator==(const Name& other) const noexcept {
    return size == other.size && std::memcmp(&address, &other.address, size) == 0;
  }
  [[nodiscard]] const ::sockaddr* get() const noexcept {
    return reinterpret_cast<const ::sockaddr*>(&address);
  }
  ::sockaddr* get() noexcept { return reinterpret_cast<::sockaddr*>(&address); }
};

SysResult<Name> own_name(int socket) noexcept {
  Name name;
  if (::getsockname(socket, name.get(), &name.size) != 0) return fail();
  return name;
}

SysResult<Name> peer_name(int socket) noexcept {
  Name name;
  if (::getpeername(socket, name.get(), &name.size) != 0) return fail();
  return name;
}

/// The connection whose other end is `client`; whoever else has come is sent away.
SysResult<UniqueFd> accept_own(int listener, int client) noexcept {
  const Name own = SBX_TRY(own_name(client));
  for (int come = 0; come <= kBacklog; ++come) {
    ::pollfd waiting{listener, POLLIN, 0};
    if (::poll(&waiting, 1, kPatienceMs) != 1) break;
    UniqueFd accepted(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!accepted.valid()) {
      if (errno == ECONNABORTED) continue;
      return fail();
    }
    const auto peer = peer_name(accepted.get());  // ENOTCONN: gone again
    if (peer && *peer == own) return accepted;
  }
  return std::unexpected(Errno{EAGAIN});
}

/// For the time that somebody listens, and not longer: nobody of the sandbox's can fill the queue
/// in advance. Each time has a port of its own.
class Listening {
 public:
  explicit Listening(int socket) noexcept : socket_(socket) {}
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;
  ~Listening() { ::shutdown(socket_, SHUT_RD); }  // as disconnect() does, with the queue

 private:
  int socket_;
};

}  // namespace

int pending_error(int socket) noexcept {
  int error = 0;
  ::socklen_t size = sizeof error;
  return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

SocketMint::SocketMint(UniqueFd listener, UniqueFd client) noexcept
    : listener_(std::move(listener)), client_(std::move(client)) {}

SysResult<void> SocketMint::reach_listener() noexcept {
  const Name where = SBX_TRY(own_name(listener_.get()));
  // The port stands in the same place for both families.
  const std::uint16_t port = ntohs(reinterpret_cast<const ::sockaddr_in*>(where.get())->sin_port);
  // By ::1 if there is one: what such a socket becomes then does both families, and not IPv4 alone
  // (ipv6_mapped in net/ipv6/tcp_ipv6.c).
  for (const bool v6 : {true, false}) {
    const Loopback to(client_.get(), v6, port);
    if (::connect(client_.get(), to.address(), to.size) == 0 || errno == EINPROGRESS) return {};
    if (errno != EADDRNOTAVAIL && errno != ENETUNREACH) break;
  }
  return fail();
}

SysResult<UniqueFd> SocketMint::try_once() noexcept {
  if (::listen(listener_.get(), kBacklog) != 0) return fail();
  const Listening listening(listener_.get());
  const auto started = reach_listener();
  SysResult<UniqueFd> accepted = std::unexpected(Errno{EAGAIN});
  if (started) accepted = accept_own(listener_.get(), client_.get());
  // The accepted one first: the reset that it sends is the client's, who throws it away.
  if (accepted)
    if (const auto done = make_new(accepted->get()); !done)
      accepted = std::unexpected(done.error());
  SBX_CHECK(disconnect(client_.get()));
  (void)pending_error(client_.get());
  SBX_CHECK(started);
  return accepted;
}

SysResult<UniqueFd> SocketMint::make() noexcept {
  constexpr int kTries = 4;
  SysResult<UniqueFd> made = std::unexpected(Errno{EBADF});
  for (int i = 0; i < kTries && !made; ++i) made = try_once();
  return made;
}

SysResult<UniqueFd> SocketMint::listen_on(std::uint16_t port) noexcept {
  UniqueFd made = SBX_TRY(make());
  SBX_CHECK(listen_everywhere(made.get(), port));
  return made;
}

SysResult<UniqueFd> SocketMint::connected(bool v6, std::uint16_t port) noexcept {
  UniqueFd made = SBX_TRY(make());
  const Loopback to(made.get(), v6, port);
  if (::connect(made.get(), to.address(), to.size) == 0) return made;
  if (errno != EINPROGRESS) return fail();
  // A refusal is here already, as is all that loopback has to say.
  ::pollfd settled{made.get(), POLLOUT, 0};
  if (::poll(&settled, 1, 0) != 1) return made;
  if (const int error = pending_error(made.get()); error != 0) return std::unexpected(Errno{error});
  return made;
}

SysResult<UniqueFd> SocketMint::connect_inside(std::uint16_t port) noexcept {
  auto four = connected(false, port);
  if (four || four.error().value != ECONNREFUSED || !is_v6(listener_.get())) return four;
  // A socket that has tried IPv4 does nothing else any more (ipv6_mapped in net/ipv6/tcp_ipv6.c).
  auto six = connected(true, port);
  return six ? std::move(six) : std::move(four);
}

}  // namespace sbx::os
