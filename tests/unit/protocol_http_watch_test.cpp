// Requests in order pass, whole headers at once and bodies as they come, however they are cut.
#include <doctest/doctest.h>

#include <vector>

#include "protocol_http_testing.hpp"

namespace {

using namespace sbx::protocol;
using namespace sbx::protocol::testing;
using namespace std::string_literals;
using State = HttpWatch::State;

const std::string kGet = "GET /x?y=1 HTTP/1.1\r\nHost: ok.example\r\n\r\n";

/// The same verdict for every cut in two, and for pieces of every size up to some.
Seen watch_all_ways(const std::string& input) {
  const Seen whole = watch(input, input.size() + 1, input.size());
  for (std::size_t first = 0; first <= input.size(); ++first)
    REQUIRE(watch(input, input.size() + 1, first) == whole);
  for (std::size_t size = 1; size < 20; ++size) REQUIRE(watch(input, size, size) == whole);
  return whole;
}

const std::string kChunked =
    "PUT /u HTTP/1.1\r\nHost: ok.example\r\nTransfer-Encoding: Chunked\r\nTrailer: X\r\n\r\n";
// Java's client, which asks for HTTP/2 in every request.
const std::string kJava =
    "POST /x HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nContent-Length: 5\r\n"
    "Host: ok.example\r\nHTTP2-Settings: AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA\r\n"
    "Upgrade: h2c\r\nUser-Agent: Java-http-client/17.0.15\r\n\r\nhello";
const std::string kExpect =
    "POST /u HTTP/1.1\r\nHost: ok.example\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n"
    "hello\0\r\nyou"s;

TEST_CASE("requests of real programs, one after the other") {
  const std::vector<std::string> requests{
      "GET / HTTP/1.1\r\nHost: ok.example\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n\r\n",
      "GET / HTTP/1.0\r\nHost: ok.example:80\r\nConnection: Keep-Alive\r\n\r\n",
      "HEAD /%7e HTTP/1.1\r\nhost:OK.Example.\r\nX: caf\xc3\xa9\t\r\n\r\n",
      "OPTIONS * HTTP/1.1\r\nHost:  ok.example \r\nConnection: close, te\r\n\r\n",
      "GET http://ok.example/ HTTP/1.1\r\nHost: ok.example\r\n\r\n",
      "GET HTTP://OK.example:80?q HTTP/1.1\r\nHost: ok.example:80\r\n\r\n",
      kExpect,
      kChunked + "5\r\nhe\r\no\r\n00A;a=b;c\r\n0123456789\r\n0\r\nX-Sum: 1\r\n\r\n",
      "PUT /u HTTP/1.1\r\nHost: ok.example\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      kJava,
      "PROPFIND /d HTTP/1.1\r\nHost: ok.example\r\nContent-Length: 0\r\n\r\n"};
  std::string all;
  for (const std::string& request : requests) {
    CAPTURE(request);
    const Seen seen = watch_all_ways(request);
    CHECK(seen.problem.empty());
    CHECK(seen.state == State::passing);
    CHECK(seen.passed == request);
    all += request;
  }
  CHECK(watch_all_ways(all) == Seen{.passed = all});
}

TEST_CASE("a header passes when it is complete, a body as it comes") {
  Driver driver;
  const std::string head = "POST / HTTP/1.1\r\nHost: ok.example\r\nContent-Length: 100000\r\n\r\n";
  driver.feed(head.substr(0, head.size() - 1));
  CHECK(driver.seen().passed.empty());
  driver.feed("\nab");
  CHECK(driver.seen().passed == head + "ab");
  driver.feed(std::string(99997, 'c'));
  CHECK(driver.seen().passed.size() == head.size() + 99999);
  driver.feed("d" + kGet.substr(0, 10));
  CHECK(driver.seen().passed.size() == head.size() + 100000);
  driver.feed(kGet.substr(10));
  CHECK(driver.seen().passed.size() == head.size() + 100000 + kGet.size());
}

TEST_CASE("after a refusal nothing passes any more") {
  Driver driver;
  driver.feed(kGet + "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n" + kGet);
  CHECK(driver.seen() ==
        Seen{.state = State::refused, .passed = kGet, .problem = "asks for evil.example"});
  driver.feed(kGet);
  driver.answered("HTTP/1.1 101 Switching");
  CHECK(driver.seen().passed == kGet);
  CHECK(driver.seen().state == State::refused);
}

TEST_CASE("other ports than 80") {
  for (const auto* host : {"ok.example", "ok.example:8080"}) {
    Driver driver("ok.example", 8080);
    driver.feed("GET / HTTP/1.1\r\nHost: "s + host + "\r\n\r\n");
    CHECK(driver.seen().state == State::passing);
  }
  Driver driver("ok.example", 8080);
  driver.feed("GET / HTTP/1.1\r\nHost: ok.example:80\r\n\r\n");
  CHECK(driver.seen().problem == "asks for ok.example:80");
}

const std::string kSocket =
    "GET /ws HTTP/1.1\r\nHost: ok.example\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

TEST_CASE("a WebSocket waits for the server's answer") {
  const std::string frames = "\x81\x05hello\nGET"s;
  Driver yes;
  yes.feed(kSocket + frames);
  CHECK(yes.seen() == Seen{.state = State::upgrade, .passed = kSocket});
  yes.answered("HTTP/1.1 101 Switching Protocols\r\n");
  CHECK(yes.seen() == Seen{.state = State::opaque, .passed = kSocket + frames});
  yes.feed(frames);
  CHECK(yes.seen().passed == kSocket + frames + frames);

  for (const auto* answer : {"HTTP/1.1 426 Upgrade", "HTTP/1.0 101 Swi", "HTTP/1.1 10", ""}) {
    Driver no;
    no.feed(kSocket + frames);
    no.answered(answer);
    CHECK(no.seen().state == State::refused);
    CHECK(no.seen().passed == kSocket);
    Driver next;
    next.feed(kSocket);
    next.answered(answer);
    next.feed(kGet);
    CHECK(next.seen() == Seen{.passed = kSocket + kGet});
  }
  CHECK(watch_all_ways(kSocket + kGet) == Seen{.state = State::upgrade, .passed = kSocket});
  CHECK(watch_all_ways(kGet + kSocket).problem == "asks for a WebSocket after other requests");
}

TEST_CASE("a long header is bounded, and read once") {
  const std::string start = "GET / HTTP/1.1\r\nHost: ok.example\r\nX: ";
  const auto of_size = [&](std::size_t size) {
    return start + std::string(size - start.size() - 4, 'x') + "\r\n\r\n";
  };
  CHECK(watch(of_size(16384), 1, 1).state == State::passing);
  CHECK(watch(of_size(16384), 100000, 100000).passed.size() == 16384);
  for (const std::size_t size : {1U, 7U, 100000U})
    CHECK(watch(of_size(16385), size, size).problem == "sends a header of more than 16384 bytes");
  const std::string chunked =
      "PUT / HTTP/1.1\r\nHost: ok.example\r\nTransfer-Encoding: chunked\r\n\r\n";
  CHECK(watch(chunked + "1;" + std::string(252, 'x') + "\r\n", 3, 3).state == State::passing);
  CHECK(watch(chunked + "1;" + std::string(253, 'x') + "\r\n", 3, 3).state == State::refused);
  CHECK(watch(chunked + "0\r\nX: " + std::string(20000, 'x'), 99, 1).state == State::refused);
}

TEST_CASE("what looks like HTTP") {
  for (const std::string_view start :
       {"GET ", "POST /", "CONNECT a", "PRI * HTTP/2.0", "\r\nGET", "\n"})
    CHECK(looks_like_http(start) == Looks::yes);
  for (const std::string_view start :
       {"", "G", "GET", "P", "UPDATE", "UPDATEREDIRECTREF", "VERSION-"})
    CHECK(looks_like_http(start) == Looks::maybe);
  for (const std::string_view start :
       {"get /", "GET\t/", "GETS", "SSH-2.0-x", "\x16\x03\x01", " GET /", "EHLO x", "X"})
    CHECK(looks_like_http(start) == Looks::no);
  CHECK(looks_like_http("UPDATE /") == Looks::yes);
}

}  // namespace
