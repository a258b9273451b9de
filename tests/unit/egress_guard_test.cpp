// Whom a connection is for, by its first bytes; and what is said to a proxy.
#include <doctest/doctest.h>

#include <string>

#include "egress/guard.hpp"
#include "egress/proxy.hpp"

namespace sbx::egress {
namespace {

std::string passed(Guard& guard, std::string_view data) {
  std::string out;
  guard.feed(data, out);
  return out;
}

constexpr std::string_view kGood = "GET / HTTP/1.1\r\nHost: allowed.test\r\n\r\n";
constexpr std::string_view kEvil = "GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n";

TEST_CASE("on port 80 each request has to be for the name") {
  Guard guard("allowed.test", 80);
  CHECK(passed(guard, kGood) == kGood);
  CHECK(passed(guard, kGood.substr(0, 20)).empty());
  CHECK(passed(guard, kGood.substr(20)) == kGood);
  CHECK(passed(guard, kEvil).empty());
  CHECK(guard.refused());
  CHECK(guard.problem().find("evil.test") != std::string::npos);
}

TEST_CASE("on another port what is no HTTP passes at once, and HTTP is held to the name") {
  Guard smtp("allowed.test", 25);
  CHECK(passed(smtp, "EHLO me\r\n") == "EHLO me\r\n");
  CHECK(smtp.open());

  Guard proxy("allowed.test", 3128);
  CHECK(passed(proxy, "CONN").empty());
  CHECK(passed(proxy, "ECT evil.test:443 HTTP/1.1\r\nHost: evil.test:443\r\n\r\n").empty());
  CHECK(proxy.refused());

  Guard lines("allowed.test", 3128);
  CHECK(passed(lines, "\r\n\n") == "\r\n\n");
  CHECK(passed(lines, "\nCONNECT evil.test:443 HTTP/1.1\r\n") == "\n");
  CHECK(passed(lines, "Host: evil.test:443\r\n\r\n").empty());
  CHECK(lines.refused());
  Guard binary("allowed.test", 50051);
  CHECK(passed(binary, "\n\x05hello") == "\n\x05hello");  // a server may take \x05 for a letter
  CHECK(passed(binary, std::string(1, '\0')) == std::string(1, '\0'));
  CHECK(binary.open());

  Guard cut("allowed.test", 7);
  CHECK(passed(cut, "GE").empty());
  std::string out;
  cut.ended(out);
  CHECK(out == "GE");
}

TEST_CASE("nor is HTTP with a method of one's own let pass to another port") {
  for (const std::string_view line :
       {"FOO http://evil.test/ HTTP/1.1\r\n", "connect evil.test:443 HTTP/1.1\r\n",
        "CONNECT\tevil.test:443\tHTTP/1.1\r\n", "get\vhttp://evil.test/ http/1.0 \t\r\n",
        " GET / HTTP/1.1\n", "X / HTTP/1.1\n", "FOO / HTTP/1.10\r\n", "FOO / HTTP/001.01\n",
        "GET\x1c/\x1cHTTP/1.1\r\n", "GET\xa0/\xa0HTTP/1.1\r\n", "FOO /\x01 HTTP/1.1\r\n",
        " \t GET /\n", "\x85PUT / x\n", "GET\x1chttp://evil.test/\n"}) {
    Guard at_once("allowed.test", 8080);
    CHECK_MESSAGE(passed(at_once, line).empty(), line);
    CHECK(at_once.refused());
    // What has passed before is no line yet.
    Guard in_pieces("allowed.test", 8080);
    std::string out;
    for (const char byte : line) in_pieces.feed({&byte, 1}, out);
    CHECK(in_pieces.refused());
    CHECK_FALSE(out.contains('\n'));
  }
  // Some skip a line of white space; and the longest line that a server may take is a long one.
  Guard skips("allowed.test", 8080);
  CHECK(passed(skips, " \r\n") == " \r\n");
  CHECK(passed(skips, "GET / HTTP/1.1\r\n").empty());
  CHECK(skips.refused());
  Guard patient("allowed.test", 8080);
  CHECK(passed(patient, "FOO /").size() == 5);
  const std::string more(1U << 20U, 'a');
  for (int i = 0; i < 8; ++i) CHECK(passed(patient, more).size() == more.size());
  CHECK(passed(patient, " HTTP/1.1\r\n").empty());
  CHECK(patient.refused());
  Guard echo("allowed.test", 7);
  CHECK(passed(echo, "hello, ") == "hello, ");
  CHECK(passed(echo, "world\nFOO / HTTP/1.1\n") == "world\nFOO / HTTP/1.1\n");
  CHECK(echo.open());
  Guard keys("allowed.test", 6379);
  CHECK(passed(keys, "get HTTP/1.1x\r\n") == "get HTTP/1.1x\r\n");
  for (const std::string_view line :
       {"HTTP/1.1\n", "get HTTP/1.\n", "get HTTP/.1\n", "get HTTP1.1\n", "get http/1.1 now\n",
        " GETS / x\n", " UPDATEREDIRECTREFS / x\n"}) {
    Guard other("allowed.test", 6379);
    CHECK_MESSAGE(passed(other, line) == line, line);
    CHECK(other.open());
  }
}

TEST_CASE("what a client that ends leaves behind unjudged is told, not dropped") {
  Guard half("allowed.test", 80);
  CHECK(passed(half, "GET / HTTP/1.1\r\nHost: allowed.test\r\n").empty());
  std::string out;
  half.ended(out);
  CHECK(half.refused());
  CHECK(half.problem().contains("ends before"));
  CHECK(out.empty());
  Guard whole("allowed.test", 80);
  CHECK_FALSE(passed(whole, "GET / HTTP/1.1\r\nHost: allowed.test\r\n\r\n").empty());
  whole.ended(out);
  CHECK_FALSE(whole.refused());
}

TEST_CASE("a guard holds a bounded amount") {
  Guard guard("allowed.test", 443);
  std::string hello("\x16\x03\x01\x3f\xff\x01\x00\xff\xff", 9);
  for (int i = 0; i < 40 && !guard.refused(); ++i) CHECK(passed(guard, hello).empty());
  hello.assign(30'000, '\0');
  CHECK(passed(guard, hello).empty());
  CHECK(guard.refused());
}

/// A ClientHello with this name and nothing else.
std::string hello(std::string_view name) {
  const auto two = [](std::size_t n) {
    return std::string{static_cast<char>(n >> 8U), static_cast<char>(n & 0xFFU)};
  };
  const std::string entry = std::string(1, '\0') + two(name.size()) + std::string(name);
  const std::string list = two(entry.size()) + entry;
  const std::string extensions = two(0) + two(list.size()) + list;
  std::string body = "\x03\x03" + std::string(32, 'r') + std::string(1, '\0') + two(2) +
                     "\x13\x01" + "\x01" + std::string(1, '\0') + two(extensions.size()) +
                     extensions;
  body = std::string("\x01\0", 2) + two(body.size()) + body;
  return "\x16\x03\x01" + two(body.size()) + body;
}

/// A ServerHello with this as its random number, and what comes behind it.
std::string server_hello(std::string_view random) {
  return std::string("\x16\x03\x03\x00\x50\x02\x00\x00\x4c\x03\x03", 11) + std::string(random) +
         std::string(40, 'x');
}

constexpr std::string_view kRetry =
    "\xCF\x21\xAD\x74\xE5\x9A\x61\x11\xBE\x1D\x8C\x02\x1E\x65\xB8\x91"
    "\xC2\xA2\x11\x16\x7A\xBB\x8C\x5E\x07\x9E\x09\xE2\xC8\xA8\x33\x9C";

TEST_CASE(
    "on port 443 a hello with the name passes, and what follows once the server has answered") {
  Guard guard("allowed.test", 443);
  const std::string first = hello("allowed.test");
  CHECK(passed(guard, first + "more") == first);
  CHECK(guard.waits());
  std::string out;
  guard.answered(server_hello(std::string(32, 'r')), out);
  CHECK(out == "more");
  CHECK(guard.open());

  Guard other("allowed.test", 443);
  CHECK(passed(other, hello("evil.test")).empty());
  CHECK(other.problem() == "the TLS client asks for evil.test");
}

TEST_CASE("on another port TLS may be for no name, but not for another one") {
  Guard named("allowed.test", 8443);
  const std::string good = hello("allowed.test");
  CHECK(passed(named, good.substr(0, 1)).empty());
  CHECK(passed(named, good.substr(1) + "more") == good);
  CHECK(named.waits());

  std::string nameless = hello("allowed.test");
  nameless[5 + 4 + 2 + 32 + 1 + 2 + 2 + 2 + 2 + 1] = '\x15';  // the extension is padding
  Guard silent("allowed.test", 6380);
  CHECK(passed(silent, nameless) == nameless);
  CHECK(silent.waits());
  Guard web("allowed.test", 443);
  CHECK(passed(web, nameless).empty());
  CHECK(web.problem() == "the TLS client names no server");

  const std::string alert("\x15\x03\x01\x00\x02\x01\x5a", 7);
  for (const std::string& start : {std::string(), alert}) {
    Guard other("allowed.test", 8443);
    CHECK(passed(other, start + hello("evil.test")).empty());
    CHECK(other.refused());
  }

  Guard binary("allowed.test", 9000);
  CHECK(passed(binary, std::string("\x16\0\0\0", 4)) == std::string("\x16\0\0\0", 4));
  CHECK(binary.open());
}

TEST_CASE("a second hello, which a server asks for, has to have the name as well") {
  Guard guard("allowed.test", 443);
  const std::string change("\x14\x03\x03\x00\x01\x01", 6);
  (void)passed(guard, hello("allowed.test"));
  std::string out;
  guard.answered(server_hello(kRetry), out);
  CHECK_FALSE(guard.waits());
  SUBCASE("it has") {
    CHECK(passed(guard, change) == change);
    CHECK(passed(guard, hello("allowed.test")) == hello("allowed.test"));
    CHECK(guard.open());
  }
  SUBCASE("it has another") {
    CHECK(passed(guard, change + hello("evil.test")) == change);
    CHECK(guard.refused());
  }
  SUBCASE("it is sent before it is asked for") {
    Guard early("allowed.test", 443);
    CHECK(passed(early, hello("allowed.test") + hello("evil.test")) == hello("allowed.test"));
    out.clear();
    early.answered(std::string("\x15\x03\x03\x00\x02\x01\x70", 7) + server_hello(kRetry), out);
    CHECK(out.empty());
    CHECK(early.refused());
  }
}

TEST_CASE("an upgrade passes nothing on before the server has agreed") {
  constexpr std::string_view kUpgrade =
      "GET / HTTP/1.1\r\nHost: allowed.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
  Guard guard("allowed.test", 80);
  std::string out;
  guard.feed(std::string(kUpgrade) + "frame", out);
  CHECK(out == kUpgrade);
  CHECK(guard.waits());
  SUBCASE("agreed") {
    out.clear();
    guard.answered("HTTP/1.1 101 ", out);
    CHECK(out == "frame");
    CHECK(guard.open());
  }
  SUBCASE("ignored: what follows is the next request") {
    out.clear();
    guard.answered("HTTP/1.1 200 ", out);
    CHECK(out.empty());
    guard.feed(std::string(kEvil), out);
    CHECK(guard.refused());
  }
}

TEST_CASE("a proxy is asked for the name, and its answer read to the byte") {
  network::Proxy proxy{.host = "proxy.test", .port = 3128, .credentials = "me:secret"};
  CHECK(proxy_request(proxy, "allowed.test", 443) ==
        "CONNECT allowed.test:443 HTTP/1.1\r\nHost: allowed.test:443\r\n"
        "Proxy-Authorization: Basic bWU6c2VjcmV0\r\n\r\n");
  CHECK(proxy_request({}, "2001:db8::1", 443).starts_with("CONNECT [2001:db8::1]:443 "));
  CHECK_FALSE(read_proxy_answer("HTTP/1.1 200 OK\r\n"));
  const auto good = read_proxy_answer("HTTP/1.1 200 OK\r\nVia: x\r\n\r\nSSH-2.0");
  REQUIRE(good);
  CHECK(good->problem.empty());
  CHECK(good->size == 27);
  const auto bad = read_proxy_answer("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
  REQUIRE(bad);
  CHECK(bad->problem == "the proxy answers 407 Proxy Authentication Required");
  CHECK(read_proxy_answer(std::string(kMostProxyAnswer, 'x')));
  CHECK_FALSE(read_proxy_answer("220 smtp.test ESMTP\r\n\r\n")->problem.empty());
}

}  // namespace
}  // namespace sbx::egress
