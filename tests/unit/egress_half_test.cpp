// One direction of a relayed connection, between two pairs of sockets.
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "egress/half.hpp"
#include "os/fd.hpp"

namespace sbx::egress {
namespace {

struct Pair {
  os::UniqueFd near{};
  os::UniqueFd far{};
  Pair() {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
    near.reset(ends[0]);
    far.reset(ends[1]);
  }
};

/// What is there to read, and whether the stream has ended.
std::string read_all(int fd, bool* ended = nullptr) {
  std::string all;
  char buffer[65536];
  for (;;) {
    const ssize_t size = ::read(fd, buffer, sizeof buffer);
    if (size == 0 && ended != nullptr) *ended = true;
    if (size <= 0) return all;
    all.append(buffer, static_cast<std::size_t>(size));
  }
}

struct Fixture {
  Pipes pipes{};
  Throttle throttle{network::Limits{}};
  Pair from{};
  Pair to{};
  std::uint64_t carried = 0;
  Half half{pipes, throttle, Direction::up};

  Half::Need pump(Nanos now = 1) { return half.pump(from.far.get(), to.near.get(), now, carried); }
};

TEST_CASE("a half carries what is there, and waits for more") {
  Fixture f;
  CHECK(f.pump() == Half::Need::input);
  REQUIRE(::write(f.from.near.get(), "hello", 5) == 5);
  CHECK(f.pump() == Half::Need::input);
  CHECK(read_all(f.to.far.get()) == "hello");
  CHECK(f.carried == 5);
}

TEST_CASE("a half carries the end over, once, behind all bytes") {
  Fixture f;
  REQUIRE(::write(f.from.near.get(), "last", 4) == 4);
  REQUIRE(::shutdown(f.from.near.get(), SHUT_WR) == 0);
  CHECK(f.pump() == Half::Need::end);
  bool ended = false;
  CHECK(read_all(f.to.far.get(), &ended) == "last");
  CHECK(ended);
  CHECK(f.pump() == Half::Need::end);
}

TEST_CASE("a half that stops in order to let others have their turn knows what it still holds") {
  Fixture f;
  int ends[2];
  // Records: each is a turn of its own, whatever the sizes of buffers.
  REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends) == 0);
  f.from.near.reset(ends[0]);
  f.from.far.reset(ends[1]);
  for (std::size_t records = 1; records <= 40; ++records) {
    for (std::size_t i = 0; i < records; ++i) REQUIRE(::write(f.from.near.get(), "x", 1) == 1);
    std::string received;
    Half::Need need = Half::Need::output;
    while (need == Half::Need::output) {
      need = f.pump();
      received += read_all(f.to.far.get());
    }
    CHECK(need == Half::Need::input);
    CHECK(received.size() == records);
  }
}

TEST_CASE("a half stops where the reader stops, and loses nothing") {
  Fixture f;
  std::string sent;
  std::string received;
  bool ended = false;
  for (int round = 0; round < 4000 && !ended; ++round) {
    if (sent.size() < 8'000'000) {
      std::string piece(40'000, static_cast<char>('a' + round % 26));
      const ssize_t size = ::send(f.from.near.get(), piece.data(), piece.size(), MSG_NOSIGNAL);
      if (size > 0) sent.append(piece, 0, static_cast<std::size_t>(size));
    } else {
      ::shutdown(f.from.near.get(), SHUT_WR);
    }
    const auto need = f.pump();
    REQUIRE(need != Half::Need::broken);
    if (round % 3 == 0) received += read_all(f.to.far.get(), &ended);
  }
  CHECK(ended);
  CHECK(received == sent);
  CHECK(f.carried == sent.size());
}

TEST_CASE("a half waits for a reader that takes nothing") {
  Fixture f;
  const std::string piece(1 << 16, 'x');
  Half::Need need = Half::Need::input;
  for (int round = 0; round < 200 && need != Half::Need::output; ++round) {
    (void)::send(f.from.near.get(), piece.data(), piece.size(), MSG_NOSIGNAL);
    need = f.pump();
  }
  CHECK(need == Half::Need::output);
}

TEST_CASE("a half keeps to its rate") {
  Pipes pipes;
  network::Limits limits;
  limits.up = 10'000;
  Throttle throttle(limits);
  Half half(pipes, throttle, Direction::up);
  Pair from;
  Pair to;
  std::uint64_t carried = 0;
  const std::string piece(100'000, 'x');
  (void)::send(from.near.get(), piece.data(), piece.size(), MSG_NOSIGNAL);
  Half::Need need = Half::Need::input;
  for (Nanos now = kSecond; now <= 3 * kSecond; now += 10 * kMilli)
    need = half.pump(from.far.get(), to.near.get(), now, carried);
  CHECK(need == Half::Need::time);
  CHECK(carried >= 18'000);
  CHECK(carried <= 22'000);
}

TEST_CASE("a half tells a reset from an end") {
  Fixture f;
  f.to.far.reset();
  REQUIRE(::write(f.from.near.get(), "x", 1) == 1);
  CHECK(f.pump() == Half::Need::broken);
}

TEST_CASE("what a guard has not let pass does not go on") {
  Fixture f;
  f.half.guard_with(Guard("allowed.test", 443));
  REQUIRE(::write(f.from.near.get(), "\x16\x03\x01", 3) == 3);
  CHECK(f.pump() == Half::Need::input);
  CHECK(read_all(f.to.far.get()).empty());
  REQUIRE(::write(f.from.near.get(), "no TLS at all", 13) == 13);
  CHECK(f.pump() == Half::Need::broken);
  CHECK(read_all(f.to.far.get()).empty());
}

}  // namespace
}  // namespace sbx::egress
