// The loop over pipes: what is told, what no longer is, and when.
#include "egress/loop.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <functional>

namespace sbx::egress {
namespace {

struct Pipe {
  os::UniqueFd out{};
  os::UniqueFd in{};
  Pipe() {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) == 0);
    out.reset(ends[0]);
    in.reset(ends[1]);
  }
  void write() const { REQUIRE(::write(in.get(), "x", 1) == 1); }
};

struct Told : Watcher {
  std::function<void(int, std::uint32_t)> then{};
  std::vector<int> of{};
  void ready(int fd, std::uint32_t events) override {
    of.push_back(fd);
    if (then) then(fd, events);
  }
};

void drain(int fd) {
  std::array<char, 16> room{};
  static_cast<void>(::read(fd, room.data(), room.size()));
}

Loop& opened(Loop& loop) {
  REQUIRE(loop.open().has_value());
  return loop;
}

bool readable(int fd) {
  pollfd asked{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&asked, 1, 0) == 1;
}

TEST_CASE("a loop tells of what is ready, and its own descriptor says so") {
  Loop loop;
  opened(loop);
  const Pipe pipe;
  Told told;
  told.then = [](int fd, std::uint32_t) { drain(fd); };
  REQUIRE(loop.add(pipe.out.get(), EPOLLIN, told).has_value());
  CHECK_FALSE(readable(loop.fd()));
  loop.step();
  CHECK(told.of.empty());
  pipe.write();
  CHECK(readable(loop.fd()));
  loop.step();
  CHECK(told.of == std::vector<int>{pipe.out.get()});
  CHECK_FALSE(readable(loop.fd()));
}

TEST_CASE("what is removed is not told any more, not even of the same round") {
  Loop loop;
  opened(loop);
  const Pipe one;
  const Pipe other;
  Told told;
  told.then = [&](int fd, std::uint32_t) {
    drain(fd);
    loop.remove(one.out.get());
    loop.remove(other.out.get());
    loop.remove(other.out.get());
  };
  REQUIRE(loop.add(one.out.get(), EPOLLIN, told).has_value());
  REQUIRE(loop.add(other.out.get(), EPOLLIN, told).has_value());
  one.write();
  other.write();
  loop.step();
  CHECK(told.of.size() == 1);
}

TEST_CASE("who gets a closed descriptor's number in the same round gets none of its events") {
  Loop loop;
  opened(loop);
  std::array<Pipe, 2> pipes;
  Pipe fresh;
  Told newcomer;
  Told told;
  told.then = [&](int fd, std::uint32_t) {
    drain(fd);
    Pipe& victim = fd == pipes[0].out.get() ? pipes[1] : pipes[0];
    loop.remove(victim.out.get());
    REQUIRE(::dup3(fresh.out.get(), victim.out.get(), O_CLOEXEC) >= 0);
    REQUIRE(loop.add(victim.out.get(), EPOLLIN, newcomer).has_value());
  };
  for (const Pipe& pipe : pipes) {
    REQUIRE(loop.add(pipe.out.get(), EPOLLIN, told).has_value());
    pipe.write();
  }
  loop.step();
  CHECK(told.of.size() == 1);
  CHECK(newcomer.of.empty());
}

TEST_CASE("a watcher that ends itself lives until the round is over") {
  struct Ending : Told {
    int* left = nullptr;
    ~Ending() override { ++*left; }
  };
  Loop loop;
  opened(loop);
  const Pipe pipe;
  int gone = 0;
  auto ending = std::make_unique<Ending>();
  ending->left = &gone;
  ending->then = [&](int fd, std::uint32_t) {
    loop.remove(fd);
    loop.bury(std::move(ending));
    CHECK(gone == 0);
  };
  REQUIRE(loop.add(pipe.out.get(), EPOLLIN, *ending).has_value());
  pipe.write();
  loop.step();
  CHECK(gone == 1);
}

TEST_CASE("a round's time is bounded") {
  Loop loop;
  opened(loop);
  const Pipe pipe;
  Told told;  // never reads
  REQUIRE(loop.add(pipe.out.get(), EPOLLIN, told).has_value());
  pipe.write();
  const Nanos before = loop.now();
  loop.step();
  CHECK(told.of.size() > 1);
  CHECK(loop.now() - before < kSecond);
}

TEST_CASE("alarms ring in order, once, and not when cancelled") {
  Loop loop;
  opened(loop);
  std::vector<int> order;
  std::array<Told, 4> told;
  for (int at = 0; at < 4; ++at) {
    told[static_cast<std::size_t>(at)].then = [&order, at](int fd, std::uint32_t events) {
      CHECK(fd == -1);
      CHECK(events == 0);
      order.push_back(at);
    };
  }
  Alarm later(loop, told[0]);
  Alarm sooner(loop, told[1]);
  Alarm cancelled(loop, told[2]);
  CHECK_FALSE(loop.next().has_value());
  {
    Alarm gone(loop, told[3]);
    gone.set(loop.now());
    later.set(loop.now() + 100);
    sooner.set(loop.now() + kSecond);
    sooner.set(loop.now() + 50);
    cancelled.set(loop.now());
  }
  cancelled.cancel();
  CHECK(loop.next() == loop.now() + 50);
  while (order.size() < 2) loop.step();
  loop.step();
  CHECK(order == std::vector<int>{1, 0});
  CHECK_FALSE(later.is_set());
}

TEST_CASE("an alarm that is set again for now does not hold the loop") {
  Loop loop;
  opened(loop);
  Told told;
  Alarm alarm(loop, told);
  told.then = [&](int, std::uint32_t) { alarm.set(0); };
  alarm.set(0);
  loop.step();
  CHECK(told.of.size() <= 1);
  CHECK(loop.next().has_value());
}

}  // namespace
}  // namespace sbx::egress
