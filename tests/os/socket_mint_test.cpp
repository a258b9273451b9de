// Sockets that the supervisor makes in the network of a running sandbox.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <sstream>

#include "inner_network.hpp"
#include "os/socket_mint.hpp"

using namespace sbx;        // NOLINT(google-build-using-namespace)
using namespace sbx::test;  // NOLINT(google-build-using-namespace)

namespace {

os::SocketMint mint_of(os::GatewaySockets& sockets) {
  return {std::move(sockets.mint_listener), std::move(sockets.mint_client)};
}

/// In the payload: a listener of its own.
os::UniqueFd serve(const char* address, std::uint16_t port) {
  const Where where(address, port);
  os::UniqueFd made = open_socket(where, SOCK_STREAM);
  expect(::bind(made.get(), where.get(), where.size) == 0);
  expect(::listen(made.get(), 8) == 0);
  return made;
}

std::ptrdiff_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

/// Ports of loopback that somebody listens on now, as everybody in the namespace may read.
std::vector<std::uint16_t> listening_ports() {
  std::vector<std::uint16_t> ports;
  std::ifstream table("/proc/thread-self/net/tcp6");
  std::string line;
  while (std::getline(table, line)) {
    std::istringstream words(line);
    std::string number;
    std::string local;
    std::string remote;
    std::string state;
    words >> number >> local >> remote >> state;
    if (state == "0A" && local.find(':') != std::string::npos)
      ports.push_back(
          static_cast<std::uint16_t>(std::stoul(local.substr(local.find(':') + 1), nullptr, 16)));
  }
  return ports;
}

}  // namespace

TEST_CASE("a listener on any port, below 1024 too, while the payload runs") {
  for (const bool v6 : {true, false}) {
    InnerNetwork inner(
        [v6] {
          expect(connect_to("203.0.113.7", 22).valid());
          if (v6) expect(connect_to("2001:db8::7", 22).valid());
          expect(connect_to("203.0.113.7", 40000).valid());
        },
        {.v6 = v6});
    os::GatewaySockets sockets = inner.take();
    os::SocketMint mint = mint_of(sockets);
    const auto low = mint.listen_on(22);
    REQUIRE_MESSAGE(low.has_value(), "errno ", low ? 0 : low.error().value);
    const auto high = mint.listen_on(40000);
    REQUIRE(high.has_value());
    CHECK(mint.listen_on(22).error().value == EADDRINUSE);
    CHECK(mint.listen_on(443).error().value == EADDRINUSE);
    inner.go();
    CHECK(own_name_of(accept_at(low->get()).get()) == "203.0.113.7:22");
    if (v6) CHECK(own_name_of(accept_at(low->get()).get()) == "2001:db8::7:22");
    CHECK(own_name_of(accept_at(high->get()).get()) == "203.0.113.7:40000");
    CHECK(inner.end() == kHolds);
  }
}

TEST_CASE("a connection to a service inside, of either family") {
  InnerNetwork inner([] {
    const os::UniqueFd four = serve("127.0.0.1", 5000);
    const os::UniqueFd six = serve("::1", 5001);
    const os::UniqueFd ready = connect_to("203.0.113.7", 443);
    for (const os::UniqueFd* one : {&four, &six}) {
      const os::UniqueFd accepted = accept_at(one->get());
      expect(accepted.valid());
      expect(::send(accepted.get(), "hi", 2, 0) == 2);
    }
    wait_byte(ready.get());
  });
  os::GatewaySockets sockets = inner.take();
  os::SocketMint mint = mint_of(sockets);
  CHECK(mint.connect_inside(5000).error().value == ECONNREFUSED);
  inner.go();
  const os::UniqueFd ready = accept_at(sockets.tcp.back().socket.get());
  REQUIRE(ready.valid());
  for (const std::uint16_t port : std::initializer_list<std::uint16_t>{5000, 5001}) {
    const auto made = mint.connect_inside(port);
    REQUIRE_MESSAGE(made.has_value(), "errno ", made ? 0 : made.error().value);
    char text[2];
    REQUIRE(readable(made->get()));
    CHECK(::recv(made->get(), text, sizeof text, 0) == 2);
  }
  CHECK(::send(ready.get(), "x", 1, 0) == 1);
  CHECK(inner.end() == kHolds);
}

TEST_CASE("thousands of them leave nothing behind") {
  InnerNetwork inner([] {});
  os::GatewaySockets sockets = inner.take();
  os::SocketMint mint = mint_of(sockets);
  const std::ptrdiff_t before = open_descriptors();
  const auto begin = std::chrono::steady_clock::now();
  constexpr int kCount = 3000;
  for (int i = 0; i < kCount; ++i) {
    auto made = mint.make();
    REQUIRE_MESSAGE(made.has_value(), i, ": errno ", made ? 0 : made.error().value);
    if (i % 2 == 0) {
      REQUIRE(os::SocketMint().make().error().value == EBADF);
      continue;
    }
    // What was connected once can listen, and be done with it.
    const auto heard = mint.listen_on(7777);
    REQUIRE_MESSAGE(heard.has_value(), i, ": errno ", heard ? 0 : heard.error().value);
  }
  const auto took = std::chrono::steady_clock::now() - begin;
  MESSAGE("one takes ",
          std::chrono::duration_cast<std::chrono::nanoseconds>(took).count() / (kCount * 3 / 2),
          " ns");
  CHECK(open_descriptors() == before);
  inner.go();
  CHECK(inner.end() == kHolds);
}

TEST_CASE("a payload that connects to every listener does not hold us up") {
  InnerNetwork inner([] {
    std::vector<os::UniqueFd> kept;
    for (;;) {
      for (const std::uint16_t port : listening_ports()) {
        const Where where("::1", port);
        os::UniqueFd made = open_socket(where, SOCK_STREAM | SOCK_NONBLOCK);
        (void)::connect(made.get(), where.get(), where.size);
        kept.push_back(std::move(made));
      }
      if (kept.size() > 500) kept.clear();
    }
  });
  os::GatewaySockets sockets = inner.take();
  os::SocketMint mint = mint_of(sockets);
  inner.go();
  int made = 0;
  auto worst = std::chrono::steady_clock::duration::zero();
  constexpr int kCount = 2000;
  for (int i = 0; i < kCount; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const auto one = mint.make();
    worst = std::max(worst, std::chrono::steady_clock::now() - begin);
    if (one) ++made;
    // Nobody's but ours: it has no other end.
    ::sockaddr_storage peer{};
    ::socklen_t size = sizeof peer;
    if (one) REQUIRE(::getpeername(one->get(), reinterpret_cast<::sockaddr*>(&peer), &size) != 0);
  }
  MESSAGE(made, " of ", kCount, ", the slowest after ",
          std::chrono::duration_cast<std::chrono::microseconds>(worst).count(), " us");
  CHECK(made > kCount / 2);
  CHECK(worst < std::chrono::seconds(2));
}
