// A network namespace with a gateway's sockets, as a sandbox's: a child of the test's is the
// payload, in a user namespace that is ours, and the test is the supervisor.
#pragma once

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "../kernel/kernel_testing.hpp"
#include "launch/refused_filter.hpp"
#include "network/address.hpp"
#include "os/gateway_sockets.hpp"
#include "os/many_descriptors.hpp"
#include "os/network.hpp"
#include "os/process.hpp"
#include "os/route.hpp"

namespace sbx::test {

struct InnerOptions {
  plan::OpenGateway step{.tcp = {80, 443}, .udp = {123}, .more = true};
  bool v6 = true;       ///< false: switched off on every device
  ::rlim_t nofile = 0;  ///< of who sends
};

inline void wait_byte(int fd) {
  char byte = 0;
  (void)!::read(fd, &byte, 1);
}

class InnerNetwork {
 public:
  using Payload = std::function<void()>;  ///< ends with expect(): see kernel_testing.hpp

  InnerNetwork(const Payload& payload, InnerOptions options = {}) : options_(std::move(options)) {
    int channel[2];
    int go[2];
    int mapped[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) == 0);
    REQUIRE(::pipe2(go, O_CLOEXEC) == 0);
    REQUIRE(::pipe2(mapped, O_CLOEXEC) == 0);
    const unsigned uid = ::geteuid();
    const unsigned gid = ::getegid();
    pid_ = ::fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      ::close(go[1]);
      expect(os::set_death_signal(SIGKILL).has_value());
      expect(::unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0);
      map_to_root(uid, gid);
      set_up(channel[1]);
      ::close(channel[1]);
      wait_byte(go[0]);
      payload();
      ::_exit(kHolds);
    }
    for (const int end : {channel[1], go[0], mapped[0], mapped[1]}) ::close(end);
    channel_.reset(channel[0]);
    go_.reset(go[1]);
  }
  InnerNetwork(const InnerNetwork&) = delete;
  InnerNetwork& operator=(const InnerNetwork&) = delete;
  ~InnerNetwork() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  os::GatewaySockets take() {
    std::vector<os::UniqueFd> received;
    for (;;) {
      ::pollfd come{channel_.get(), POLLIN, 0};
      REQUIRE(::poll(&come, 1, 20'000) == 1);
      auto some = os::receive_some(channel_.get());
      REQUIRE_MESSAGE(some.has_value(), "errno ", some ? 0 : some.error().value);
      for (os::UniqueFd& fd : *some) received.push_back(std::move(fd));
      auto all = os::gateway_of(received, ports());
      if (!all) continue;
      const launch::RefusedPrograms programs = launch::refused_programs(options_.step);
      REQUIRE(launch::watch_refused(all->refused, programs).has_value());
      REQUIRE(os::tell_watched(channel_.get()).has_value());
      return std::move(*all);
    }
  }
  void go() { REQUIRE(::write(go_.get(), "x", 1) == 1); }
  int end() { return wait_status(std::exchange(pid_, 0)); }

 private:
  void set_up(int channel) const {
    if (!options_.v6)
      for (const char* device : {"all", "default", "lo"})
        write_file(("/proc/sys/net/ipv6/conf/" + std::string(device) + "/disable_ipv6").c_str(),
                   "1");
    expect(os::raise_loopback().has_value());
    expect(os::route_all_to_self().has_value());
    if (options_.nofile != 0) {
      const ::rlimit limit{options_.nofile, options_.nofile};
      expect(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
    }
    const auto sent = os::send_gateway(channel, ports());
    if (!sent) errno = sent.error().value;
    expect(sent.has_value());
    expect(os::await_watched(channel).has_value());
  }
  [[nodiscard]] os::GatewayPorts ports() const {
    return {.tcp = options_.step.tcp, .udp = options_.step.udp, .more = options_.step.more};
  }

  InnerOptions options_;
  pid_t pid_ = -1;
  os::UniqueFd channel_;
  os::UniqueFd go_;
};

/// For the calls on sockets; of the family that `text` is written in.
struct Where {
  Where(const char* text, std::uint16_t port) {
    if (::inet_pton(AF_INET, text, &four.sin_addr) == 1) {
      four.sin_family = AF_INET;
      four.sin_port = htons(port);
      size = sizeof four;
    } else {
      (void)::inet_pton(AF_INET6, text, &six.sin6_addr);
      six.sin6_family = AF_INET6;
      six.sin6_port = htons(port);
      size = sizeof six;
    }
  }
  [[nodiscard]] const ::sockaddr* get() const {
    return size == sizeof four ? reinterpret_cast<const ::sockaddr*>(&four)
                               : reinterpret_cast<const ::sockaddr*>(&six);
  }
  ::sockaddr_in four{};
  ::sockaddr_in6 six{};
  ::socklen_t size = 0;
};

/// "192.0.2.1:80" or "2001:db8::1:80", without the mark of a v4-mapped address.
inline std::string text_of(const ::sockaddr_storage& name) {
  char text[INET6_ADDRSTRLEN] = {};
  std::uint16_t port = 0;
  if (name.ss_family == AF_INET) {
    ::sockaddr_in four{};
    std::memcpy(&four, &name, sizeof four);
    ::inet_ntop(AF_INET, &four.sin_addr, text, sizeof text);
    port = ntohs(four.sin_port);
  } else {
    ::sockaddr_in6 six{};
    std::memcpy(&six, &name, sizeof six);
    ::inet_ntop(AF_INET6, &six.sin6_addr, text, sizeof text);
    port = ntohs(six.sin6_port);
  }
  std::string whole = text;
  if (whole.starts_with("::ffff:")) whole.erase(0, 7);
  return whole + ":" + std::to_string(port);
}

inline std::string own_name_of(int socket) {
  ::sockaddr_storage name{};
  ::socklen_t size = sizeof name;
  if (::getsockname(socket, reinterpret_cast<::sockaddr*>(&name), &size) != 0) return "?";
  return text_of(name);
}

inline bool readable(int fd, int milliseconds = 5000) {
  ::pollfd waiting{fd, POLLIN, 0};
  return ::poll(&waiting, 1, milliseconds) == 1 && (waiting.revents & POLLIN) != 0;
}

inline os::UniqueFd accept_at(int listener) {
  if (!readable(listener)) return {};
  return os::UniqueFd(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
}

/// In the payload.
inline os::UniqueFd open_socket(const Where& where, int type) {
  os::UniqueFd made(::socket(where.get()->sa_family, type | SOCK_CLOEXEC, 0));
  expect(made.valid());
  return made;
}

/// In the payload: connected, or invalid with errno.
inline os::UniqueFd connect_to(const char* address, std::uint16_t port) {
  const Where where(address, port);
  os::UniqueFd made = open_socket(where, SOCK_STREAM);
  if (::connect(made.get(), where.get(), where.size) != 0) {
    const int error = errno;
    made.reset();
    errno = error;
  }
  return made;
}

inline bool is_refused(const char* address, std::uint16_t port) {
  return !connect_to(address, port).valid() && errno == ECONNREFUSED;
}

}  // namespace sbx::test
