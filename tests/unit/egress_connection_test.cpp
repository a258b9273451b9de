// How long a connection of which one side has ended may live.
#include <doctest/doctest.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <memory>
#include <string>

#include "egress/connection.hpp"
#include "egress/sockets.hpp"
#include "egress_udp_testing.hpp"

namespace sbx::egress {
namespace {

constexpr Nanos kPatience = 400 * kMilli;  // longer than a busy host keeps this waiting

/// The two ends of a TCP connection.
struct Pair {
  os::UniqueFd near{};
  os::UniqueFd far{};
  Pair() {
    std::uint16_t port = 0;
    const os::UniqueFd listener = loopback_socket(SOCK_STREAM, port);
    REQUIRE(::listen(listener.get(), 1) == 0);
    near = std::move(*start_connect({network::v4(127, 0, 0, 1), port}, {}));
    far = std::move(*accept_stream(listener.get()));
  }
};

struct ConnectionBed {
  FlowBed bed{};
  Desk desk = bed.desk;
  Pair payload{};
  Pair host{};
  std::unique_ptr<Connection> connection{};
  bool ended = false;

  ConnectionBed() : desk(bed.desk) {
    desk.patience = kPatience;
    REQUIRE(bed.slots.take());
    connection = std::make_unique<Connection>(desk, std::move(payload.far), Target{},
                                              [this](Connection*) { ended = true; });
    connection->carry(std::move(host.far));
  }
  bool ends(Nanos within = 10 * kSecond) {
    return run_until(bed.loop, [this] { return ended; }, within);
  }
  void send(const os::UniqueFd& from, const os::UniqueFd& to) {
    REQUIRE(::send(from.get(), "x", 1, MSG_NOSIGNAL) == 1);
    char byte = 0;
    REQUIRE(run_until(bed.loop, [&] { return ::recv(to.get(), &byte, 1, MSG_DONTWAIT) == 1; }));
  }
};

int option_of(const os::UniqueFd& socket, int level, int option) {
  int value = 0;
  ::socklen_t size = sizeof value;
  REQUIRE(::getsockopt(socket.get(), level, option, &value, &size) == 0);
  return value;
}

/// EPIPE: by who had ended before.
bool is_reset(const os::UniqueFd& socket) {
  const int error = option_of(socket, SOL_SOCKET, SO_ERROR);
  return error == ECONNRESET || error == EPIPE;
}

TEST_CASE("a payload that has ended leaves no connection to a host that says nothing") {
  ConnectionBed bed;
  bed.payload.near.reset();
  REQUIRE(bed.ends());
  bed.connection.reset();
  CHECK(bed.bed.slots.taken() == 0);
  CHECK(is_reset(bed.host.near));
}

TEST_CASE("a payload that forgets what its host has ended loses it") {
  ConnectionBed bed;
  bed.host.near.reset();
  REQUIRE(bed.ends());
  bed.connection.reset();
  CHECK(is_reset(bed.payload.near));
}

TEST_CASE("an end behind what the host does not read is an end, too") {
  ConnectionBed bed;
  const int least = 1;
  REQUIRE(::setsockopt(bed.payload.near.get(), SOL_SOCKET, SO_SNDBUF, &least, sizeof least) == 0);
  std::string piece(1 << 16, 'x');
  for (int silent = 0; silent < 20;) {  // everything between them is full
    const bool sent = ::send(bed.payload.near.get(), piece.data(), piece.size(), MSG_NOSIGNAL) > 0;
    silent = sent ? 0 : silent + 1;
    bed.bed.loop.step();
  }
  REQUIRE(::shutdown(bed.payload.near.get(), SHUT_WR) == 0);
  REQUIRE(run_until(bed.bed.loop, [&] {  // the last of it is on the gateway's side, and its end
    int left = 0;
    REQUIRE(::ioctl(bed.payload.near.get(), SIOCOUTQ, &left) == 0);
    return left == 0 || ::recv(bed.host.near.get(), piece.data(), piece.size(), MSG_DONTWAIT) == 0;
  }));
  REQUIRE_FALSE(bed.ended);
  REQUIRE(bed.ends());
}

TEST_CASE("a side that has ended hears the other one as long as that speaks") {
  ConnectionBed bed;
  REQUIRE(::shutdown(bed.payload.near.get(), SHUT_WR) == 0);
  const Nanos end = bed.bed.loop.now() + 4 * kPatience;
  while (bed.bed.loop.now() < end) bed.send(bed.host.near, bed.payload.near);
  CHECK_FALSE(bed.ended);
  REQUIRE(bed.ends());
  bed.connection.reset();
  CHECK(is_reset(bed.payload.near));
}

TEST_CASE("a silent connection lives as long as nobody ends it") {
  ConnectionBed bed;
  CHECK_FALSE(bed.ends(4 * kPatience));
  bed.send(bed.payload.near, bed.host.near);
  bed.send(bed.host.near, bed.payload.near);
}

TEST_CASE("who has gone without a word is noticed") {
  const Pair pair;
  CHECK(option_of(pair.near, SOL_SOCKET, SO_KEEPALIVE) == 1);
  CHECK(option_of(pair.near, IPPROTO_TCP, TCP_KEEPIDLE) == kOutsideSilence);
  auto published = listen_stream({network::v4(127, 0, 0, 1), 0});
  REQUIRE(published.has_value());
  const auto client = start_connect(*local_end(published->get()), {});
  const auto accepted = accept_stream(published->get());
  REQUIRE(accepted.has_value());
  CHECK(option_of(*accepted, SOL_SOCKET, SO_KEEPALIVE) == 1);
  CHECK(option_of(*accepted, IPPROTO_TCP, TCP_KEEPIDLE) == kOutsideSilence);
  notice_loss(published->get(), kInsideSilence);
  const auto other = start_connect(*local_end(published->get()), {});
  CHECK(option_of(*accept_stream(published->get()), IPPROTO_TCP, TCP_KEEPIDLE) == kInsideSilence);
}

}  // namespace
}  // namespace sbx::egress
