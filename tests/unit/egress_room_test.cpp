// How much of the kernel's memory connections may take.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "egress/room.hpp"

namespace sbx::egress {
namespace {

constexpr std::int64_t kMega = 1 << 20;
constexpr int kUnbounded = std::numeric_limits<int>::max();

/// At most, of what the kernel makes of it.
std::int64_t bytes_of(const Room& room, const Room& own) {
  const auto most = [](int set, int by_itself) {
    return set != 0 ? 2 * std::int64_t{set} : std::int64_t{by_itself};
  };
  return most(room.receive, own.receive) + most(room.send, own.send);
}

std::int64_t bytes_of(std::uint32_t first, std::uint32_t last, const Room& own) {
  std::int64_t sum = 0;
  for (std::uint32_t alive = first; alive <= last; ++alive) {
    const Room unknown{kUnbounded, kUnbounded};
    sum +=
        bytes_of(inside_room(alive), unknown) +
        std::max(bytes_of(outside_room(alive, own), own), bytes_of(published_room(alive), unknown));
  }
  return sum;
}

TEST_CASE("the room of all connections is bounded, whatever the host gives a socket") {
  for (const int own : {1, 4 << 20, 6 << 20, 32 << 20, kUnbounded}) {
    CHECK(bytes_of(1, 512, {own, own}) <= 300 * kMega);
    CHECK(bytes_of(1, 8, {own, own}) <= 100 * kMega);
    CHECK(bytes_of(33, 65535, {own, own}) <= 65503 * kMega * 2 / 5);
  }
}

TEST_CASE(
    "a connection that is one of few has what the kernel gives by itself, where that is bounded") {
  CHECK(outside_room(1, {6 << 20, 4 << 20}) == Room{});
  CHECK(outside_room(8, {6 << 20, 4 << 20}) == Room{});
  CHECK(outside_room(8, {32 << 20, 4 << 20}) == Room{3 << 20, 0});
  CHECK(outside_room(9, {6 << 20, 4 << 20}).receive > 0);
}

}  // namespace
}  // namespace sbx::egress
