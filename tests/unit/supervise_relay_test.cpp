// The relays over real pipes: byte for byte, with backpressure, and what happens at either end.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <random>
#include <string>

#include "base/sha256.hpp"
#include "os/pipe.hpp"
#include "supervise/input_relay.hpp"
#include "supervise/output_relay.hpp"

using namespace sbx;
using namespace sbx::supervise;

namespace {

os::Pipe pipe_of(std::size_t capacity = 0) {
  auto made = os::make_pipe(capacity);
  REQUIRE(made);
  return std::move(*made);
}

/// An unlinked file with `content`, its offset at the start.
os::UniqueFd file_of(std::string_view content, int extra_flags = 0) {
  char name[] = "/tmp/sbx-unit-XXXXXX";
  os::UniqueFd file(::mkostemp(name, O_CLOEXEC | extra_flags));
  REQUIRE(file.valid());
  ::unlink(name);
  std::string_view rest = content;
  while (!rest.empty()) {
    const ssize_t sent = ::write(file.get(), rest.data(), rest.size());
    REQUIRE(sent > 0);
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::string random_bytes(std::size_t size) {
  std::mt19937_64 random(42);
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i + 8 <= size; i += 8) {
    const std::uint64_t word = random();
    bytes.replace(i, 8, reinterpret_cast<const char*>(&word), 8);
  }
  return bytes;
}

/// Reads what is there now; "" when nothing is. `fd` must be non-blocking.
std::string read_some(int fd, std::size_t most) {
  std::string bytes(most, '\0');
  const ssize_t got = ::read(fd, bytes.data(), most);
  bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return bytes;
}

std::size_t write_some(int fd, std::string_view bytes) {
  const ssize_t sent = ::write(fd, bytes.data(), bytes.size());
  return sent > 0 ? static_cast<std::size_t>(sent) : 0;
}

struct Ignored {
  Ignored() { ::signal(SIGPIPE, SIG_IGN); }
  ~Ignored() { ::signal(SIGPIPE, SIG_DFL); }
};

StreamMeter metered() { return StreamMeter({.hash = true}); }
StreamMeter unmetered() { return StreamMeter({}); }

void carry_64_mib(StreamMeter meter) {
  const std::string bytes = random_bytes(64U << 20U);
  os::Pipe payload = pipe_of(1U << 20U);
  os::Pipe caller = pipe_of();
  REQUIRE(os::set_nonblocking(payload.write.get()));
  REQUIRE(os::set_nonblocking(caller.read.get()));
  OutputRelay relay(std::move(payload.read), Sink(caller.write.get(), FileKind::fifo),
                    std::move(meter));
  std::mt19937 random(1);
  std::string got;
  std::size_t sent = 0;
  while (!relay.done() || os::bytes_waiting(caller.read.get()) != 0) {
    if (sent < bytes.size()) {
      sent +=
          write_some(payload.write.get(), std::string_view(bytes).substr(sent, random() % 400'000));
      if (sent == bytes.size()) payload.write.reset();
    }
    relay.step();
    got += read_some(caller.read.get(), random() % 200'000);
  }
  CHECK(got.size() == bytes.size());
  CHECK(got == bytes);
  const StreamRecord record = relay.meter().take_record();
  CHECK(record.bytes == bytes.size());
  if (!record.sha256.empty()) CHECK(record.sha256 == sha256_hex(bytes));
  // The caller's descriptor is the caller's: its flags must be what they were.
  CHECK((::fcntl(caller.write.get(), F_GETFL) & O_NONBLOCK) == 0);
}

}  // namespace

TEST_CASE("64 MiB of random bytes come through unchanged, spliced") { carry_64_mib(unmetered()); }
TEST_CASE("64 MiB of random bytes come through unchanged, looked at") { carry_64_mib(metered()); }

TEST_CASE("a slow reader holds the payload back, and nothing piles up here") {
  for (const bool look : {false, true}) {
    os::Pipe payload = pipe_of();
    os::Pipe caller = pipe_of();
    REQUIRE(os::set_nonblocking(payload.write.get()));
    OutputRelay relay(std::move(payload.read), Sink(caller.write.get(), FileKind::fifo),
                      look ? metered() : unmetered());
    const std::string piece(32 * 1024, 'x');
    std::size_t sent = 0;
    for (int i = 0; i < 200; ++i) {
      sent += write_some(payload.write.get(), piece);
      relay.step();
    }
    CHECK(sent <= 3 * 64 * 1024 + 128 * 1024);
    CHECK(relay.blocked());
    PollSet set;
    relay.watch(set);
    REQUIRE(set.size() == 1);
    CHECK(set.data()[0].events == POLLOUT);
  }
}

TEST_CASE("a reader that goes away ends the stream for the payload") {
  const Ignored pipe_signal;
  for (const bool look : {false, true}) {
    os::Pipe payload = pipe_of();
    os::Pipe caller = pipe_of();
    OutputRelay relay(std::move(payload.read), Sink(caller.write.get(), FileKind::fifo),
                      look ? metered() : unmetered());
    caller.read.reset();
    CHECK(write_some(payload.write.get(), "hello") == 5);
    relay.step();
    CHECK(relay.lost() == EPIPE);
    CHECK(relay.done());
    errno = 0;
    CHECK(::write(payload.write.get(), "x", 1) == -1);
    CHECK(errno == EPIPE);
  }
}

TEST_CASE("output reaches files, appended files and sockets whole") {
  const std::string bytes = random_bytes(3U << 20U);
  for (const int flags : {0, O_APPEND}) {
    os::UniqueFd file = file_of("", flags);
    os::UniqueFd source = file_of(bytes);
    os::Pipe payload = pipe_of();
    REQUIRE(os::set_nonblocking(payload.write.get()));
    OutputRelay relay(std::move(payload.read), Sink(file.get(), FileKind::regular), unmetered());
    std::size_t sent = 0;
    while (!relay.done()) {
      sent += write_some(payload.write.get(), std::string_view(bytes).substr(sent));
      if (sent == bytes.size()) payload.write.reset();
      relay.step();
    }
    std::string got(bytes.size() + 1, '\0');
    CHECK(::pread(file.get(), got.data(), got.size(), 0) == static_cast<ssize_t>(bytes.size()));
    got.resize(bytes.size());
    CHECK(got == bytes);
  }
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  const os::UniqueFd near(ends[0]);
  const os::UniqueFd far(ends[1]);
  REQUIRE(os::set_nonblocking(far.get()));
  os::Pipe payload = pipe_of();
  REQUIRE(os::set_nonblocking(payload.write.get()));
  OutputRelay relay(std::move(payload.read), Sink(near.get(), FileKind::socket), unmetered());
  std::string got;
  std::size_t sent = 0;
  while (!relay.done() || got.size() < bytes.size()) {
    sent += write_some(payload.write.get(), std::string_view(bytes).substr(sent));
    if (sent == bytes.size()) payload.write.reset();
    relay.step();
    got += read_some(far.get(), 100'000);
  }
  CHECK(got == bytes);
}

TEST_CASE("after the tree's end what it left is carried, and no more") {
  for (const bool look : {false, true}) {
    os::Pipe payload = pipe_of();
    os::Pipe caller = pipe_of();
    REQUIRE(os::set_nonblocking(caller.read.get()));
    OutputRelay relay(std::move(payload.read), Sink(caller.write.get(), FileKind::fifo),
                      look ? metered() : unmetered());
    CHECK(write_some(payload.write.get(), "left behind") == 11);
    relay.tree_ended();
    // The write end is still open somewhere, and somebody writes on.
    CHECK(write_some(payload.write.get(), "stranger") == 8);
    for (int i = 0; i < 5; ++i) relay.step();
    CHECK(relay.done());
    CHECK(read_some(caller.read.get(), 100) == "left behind");
  }
}

TEST_CASE("a held relay reads nothing") {
  os::Pipe payload = pipe_of();
  OutputRelay relay(std::move(payload.read), Sink(), metered());
  CHECK(write_some(payload.write.get(), "abc") == 3);
  relay.hold(true);
  CHECK_FALSE(relay.step());
  PollSet set;
  relay.watch(set);
  CHECK(set.size() == 0);
  relay.hold(false);
  CHECK(relay.step());
}

namespace {

void turn(InputRelay& relay) {
  PollSet set;
  relay.watch(set);
  ::poll(set.data(), set.size(), 0);
  relay.step(set);
}

}  // namespace

TEST_CASE("a file goes to the payload's stdin whole, and then ends") {
  const std::string bytes = random_bytes(5U << 20U);
  const os::UniqueFd file = file_of(bytes);
  os::Pipe payload = pipe_of();
  REQUIRE(os::set_nonblocking(payload.read.get()));
  InputRelay relay(file.get(), FileKind::regular, std::move(payload.write));
  std::string got;
  for (int idle = 0; idle < 3;) {
    turn(relay);
    const std::string piece = read_some(payload.read.get(), 50'000);
    got += piece;
    idle = piece.empty() ? idle + 1 : 0;
  }
  CHECK(got == bytes);
  errno = 0;
  char byte;
  CHECK(::read(payload.read.get(), &byte, 1) == 0);  // the end, not EAGAIN
}

TEST_CASE("what the payload did not read of a file is the caller's again") {
  for (const std::size_t size : {std::size_t{1000}, std::size_t{1} << 20U}) {
    const os::UniqueFd file = file_of(std::string(size, 'y'));
    os::Pipe payload = pipe_of();
    {
      InputRelay relay(file.get(), FileKind::regular, std::move(payload.write));
      for (int i = 0; i < 4; ++i) turn(relay);
      CHECK(read_some(payload.read.get(), 300).size() == 300);
      turn(relay);
      payload.read.reset();
    }
    CHECK(::lseek(file.get(), 0, SEEK_CUR) == 300);
  }
}

TEST_CASE("a payload that closes its stdin ends the reading") {
  const Ignored pipe_signal;
  os::Pipe caller = pipe_of();
  os::Pipe payload = pipe_of();
  InputRelay relay(caller.read.get(), FileKind::fifo, std::move(payload.write));
  turn(relay);
  payload.read.reset();
  turn(relay);
  PollSet set;
  relay.watch(set);
  CHECK(set.size() == 0);
}

TEST_CASE("the caller's stdin keeps its flags and is not read far ahead") {
  os::Pipe caller = pipe_of(1U << 20U);
  os::Pipe payload = pipe_of();
  REQUIRE(os::set_nonblocking(caller.write.get()));
  InputRelay relay(caller.read.get(), FileKind::fifo, std::move(payload.write));
  const std::string bytes(1U << 20U, 'z');
  const std::size_t sent = write_some(caller.write.get(), bytes);
  for (int i = 0; i < 50; ++i) turn(relay);
  CHECK(sent - os::bytes_waiting(caller.read.get()) <= 2 * 64 * 1024);
  CHECK((::fcntl(caller.read.get(), F_GETFL) & O_NONBLOCK) == 0);
}
