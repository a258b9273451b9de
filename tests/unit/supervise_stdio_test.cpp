// Which way each standard stream goes.
#include <doctest/doctest.h>

#include "supervise/stdio.hpp"

using namespace sbx;
using namespace sbx::supervise;

namespace {

constexpr StreamFacts kNull{FileKind::null_device, 1, 3};
constexpr StreamFacts kPipeA{FileKind::fifo, 9, 100};
constexpr StreamFacts kPipeB{FileKind::fifo, 9, 101};
constexpr StreamFacts kNamedPipe{FileKind::fifo, 5, 53};
constexpr StreamFacts kFile{FileKind::regular, 5, 50};
constexpr StreamFacts kTerminal{FileKind::terminal, 7, 70};
constexpr StreamFacts kSocket{FileKind::socket, 8, 80};
constexpr StreamFacts kDirectory{FileKind::directory, 5, 51};
constexpr StreamFacts kDevice{FileKind::device, 5, 52};

StdioRoutes routes(const plan::Supervision& how, StreamFacts in, StreamFacts out, StreamFacts err) {
  const auto decided = decide_stdio(how, {in, out, err});
  REQUIRE(decided);
  return *decided;
}

}  // namespace

TEST_CASE("nothing of the caller's is ever handed to the payload") {
  for (const StreamFacts& stream : {kPipeA, kNamedPipe, kFile, kTerminal, kSocket, kDevice}) {
    const StdioRoutes got = routes({}, stream, stream, kPipeB);
    CHECK(got.in == Route::relay);
    CHECK(got.out == Route::relay);
    CHECK(routes({}, kNull, kPipeB, stream).err == Route::relay);
  }
  const StdioRoutes none = routes({}, kNull, kNull, kNull);
  CHECK(none.in == Route::null);
  CHECK(none.out == Route::null);
  CHECK(none.err == Route::null);
}

TEST_CASE("what goes nowhere is relayed when its stream has to be seen") {
  plan::Supervision meter;
  meter.meter = true;
  CHECK(routes(meter, kNull, kNull, kNull).out == Route::relay);
  CHECK(routes(meter, kNull, kNull, kNull).in == Route::null);
  plan::Supervision idle;
  idle.idle = std::chrono::seconds{1};
  CHECK(routes(idle, kNull, kPipeA, kNull).err == Route::relay);
  plan::Supervision cap;
  cap.output.stderr_bytes = 5;
  CHECK(routes(cap, kNull, kNull, kNull).out == Route::null);
  CHECK(routes(cap, kNull, kNull, kNull).err == Route::relay);
}

TEST_CASE("two streams into one file keep their order unless they have to be told apart") {
  CHECK(routes({}, kNull, kFile, kFile).err == Route::with_stdout);
  CHECK(routes({}, kNull, kTerminal, kTerminal).err == Route::with_stdout);
  CHECK(routes({}, kNull, kFile, kTerminal).err == Route::relay);
  plan::Supervision idle;
  idle.idle = std::chrono::seconds{1};
  CHECK(routes(idle, kNull, kPipeA, kPipeA).err == Route::with_stdout);
  plan::Supervision meter;
  meter.meter = true;
  CHECK(routes(meter, kNull, kFile, kFile).err == Route::relay);
  plan::Supervision cap;
  cap.output.stdout_bytes = 5;
  CHECK(routes(cap, kNull, kFile, kFile).err == Route::relay);
}

TEST_CASE("captured output has no way out, and a pty takes all three") {
  plan::Supervision capture;
  capture.capture = capture.meter = true;
  CHECK(routes(capture, kNull, kPipeA, kFile).out == Route::keep);
  CHECK(routes(capture, kNull, kPipeA, kFile).err == Route::keep);
  plan::Supervision tty;
  tty.tty = true;
  const StdioRoutes got = routes(tty, kTerminal, kTerminal, kTerminal);
  CHECK(got.in == Route::relay);
  CHECK(got.out == Route::pty);
  CHECK(got.err == Route::pty);
  CHECK(routes(tty, kPipeA, kTerminal, kTerminal).in == Route::relay);
}

TEST_CASE("stdin is what the plan says") {
  plan::Supervision how;
  how.input = plan::InputMode::null;
  CHECK(routes(how, kDirectory, kPipeA, kPipeA).in == Route::null);
  how.input = plan::InputMode::file;
  CHECK(routes(how, kDirectory, kPipeA, kPipeA).in == Route::file);
  CHECK(routes({}, kNull, kPipeA, kPipeA).in == Route::null);
}

TEST_CASE("a directory is a mistake of the caller") {
  const auto in = decide_stdio({}, {kDirectory, kPipeA, kPipeA});
  REQUIRE_FALSE(in);
  CHECK(in.error().kind == ErrorKind::usage);
  CHECK_FALSE(decide_stdio({}, {kNull, kDirectory, kPipeA}));
  CHECK_FALSE(decide_stdio({}, {kNull, kPipeA, kDirectory}));
}
