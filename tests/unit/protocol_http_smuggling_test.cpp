// What two readers could understand in two ways is refused, before any byte of it has passed; and
// the same would pass a reader that looks at the first Host of a connection only.
#include <doctest/doctest.h>

#include <vector>

#include "protocol_http_testing.hpp"

namespace {

using namespace sbx::protocol;
using namespace sbx::protocol::testing;
using namespace std::string_literals;
using State = HttpWatch::State;

const std::string kHost = "Host: ok.example\r\n";
const std::string kEvil = "GET /e HTTP/1.1\r\nHost: evil.example\r\n\r\n";

/// As proxies began: the first Host field of the first header.
bool passes_naive(const std::string& input) {
  const std::string field = "\r\nHost: ";
  const std::size_t at = input.find(field);
  return at != std::string::npos && input.compare(at + field.size(), 10, "ok.example") == 0;
}

/// Its problem, the same however it is cut; nothing but `before` passes.
std::string problem_of(const std::string& input, const std::string& before = "") {
  const Seen whole = watch(input, input.size() + 1, input.size());
  CHECK(whole.state == State::refused);
  CHECK(whole.passed == before);
  for (std::size_t first = 0; first < input.size(); ++first)
    REQUIRE(watch(input, input.size() + 1, first) == whole);
  for (std::size_t size = 1; size < 9; ++size) REQUIRE(watch(input, size, size) == whole);
  return whole.problem;
}
std::string post(const std::string& fields) {
  return "POST / HTTP/1.1\r\n" + kHost + fields + "\r\n";
}
std::string problem_of_fields(const std::string& fields) { return problem_of(post(fields)); }

TEST_CASE("a body that ends in two places") {
  const std::string cl_te =
      post("Content-Length: 6\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n" + kEvil;
  const std::string te_cl =
      post("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n") + "8\r\nSMUGGLED\r\n0\r\n\r\n";
  CHECK(passes_naive(cl_te));
  CHECK(problem_of(cl_te) == "has both Content-Length and Transfer-Encoding");
  CHECK(problem_of(te_cl) == "has both Content-Length and Transfer-Encoding");
  CHECK(problem_of_fields("Content-Length: 5\r\nContent-Length: 5\r\n") ==
        "has two Content-Length fields");
  CHECK(problem_of_fields("Content-Length: 5\r\ncontent-length: 50\r\n") ==
        "has two Content-Length fields");
  CHECK(problem_of_fields("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n") ==
        "has two Transfer-Encoding fields");
  for (const auto* length : {"+5", "-5", "5, 5", "0x5", "5 5", "5;", "", "1e3", "\"5\"", "5.0",
                             "1000000000000000000", "18446744073709551621"})
    CHECK(problem_of_fields("Content-Length: "s + length + "\r\n")
              .starts_with("has a Content-Length that is no length: "));
  for (const auto* encoding :
       {"identity", "chunked, identity", "gzip, chunked", "chunked, chunked", "xchunked",
        "chunked;q=1", "\"chunked\"", "", "chun ked", "\x0bchunked"})
    CHECK_FALSE(problem_of_fields("Transfer-Encoding: "s + encoding + "\r\n").empty());
  CHECK(problem_of("POST / HTTP/1.0\r\n" + kHost + "Transfer-Encoding: chunked\r\n\r\n") ==
        "has a chunked body in HTTP/1.0");
}

TEST_CASE("names of fields that another reader sees otherwise") {
  for (const auto* field :
       {"Content-Length : 5", "Transfer-Encoding : chunked", "Host : evil.example",
        "Host\t: evil.example", " Host: evil.example", "\tHost: evil.example",
        "X: a\r\n Host: evil.example", "X: a\r\n\tb", ": x", "no colon", "H\xc3\xb6st: x",
        "Ho(st: x", "Content_Length: 5", "transfer_encoding: chunked", "X:a\rHost: evil.example",
        "X:a\nHost: evil.example", "X: \x7f", "X: \x08"}) {
    CAPTURE(field);
    const std::string input = post(field + "\r\n"s);
    CHECK(passes_naive(input));
    CHECK_FALSE(problem_of(input).empty());
  }
  CHECK_FALSE(problem_of(post("X: a\0b\r\n"s)).empty());
  CHECK(problem_of_fields("Transfer_Encoding: chunked\r\n") ==
        "has a field Transfer_Encoding, which some servers take for Transfer-Encoding");
  CHECK(problem_of_fields("Connection: close, Host\r\n") ==
        "has a Connection field that drops Host");
  CHECK(problem_of_fields("Connection: x\r\nConnection: transfer_encoding\r\n") ==
        "has a Connection field that drops Transfer-Encoding");
}

TEST_CASE("hosts") {
  const auto with = [](const std::string& host) {
    return "GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
  };
  for (const auto* host : {"evil.example",
                           "ok.example:81",
                           "ok.example:",
                           "ok.example:+80",
                           "ok.example:080",
                           "ok.example:65616",
                           "ok.example:80:80",
                           "user@ok.example",
                           "ok.example@evil.example",
                           "ok.example/",
                           "ok.example, evil.example",
                           "ok.example evil.example",
                           "http://ok.example",
                           "ok.example..",
                           ".ok.example",
                           "ok.example%00",
                           "ok.example\\evil",
                           "192.0.2.1",
                           "[::1]",
                           "[ok.example]",
                           "2130706433",
                           "xok.example",
                           "k.example",
                           "ok.example#",
                           "\"ok.example\"",
                           "ok\xe3\x80\x82.example"}) {
    CAPTURE(host);
    CHECK(problem_of(with(host)).starts_with("asks for "));
  }
  CHECK(problem_of(with("")) == "names no host");
  CHECK(problem_of("GET / HTTP/1.1\r\nX: y\r\n\r\n") == "has no Host field");
  CHECK(problem_of("GET / HTTP/1.0\r\n\r\n") == "has no Host field");
  CHECK(problem_of("GET / HTTP/1.1\r\n" + kHost + kHost + "\r\n") == "has two Host fields");
  CHECK(problem_of("GET / HTTP/1.1\r\n" + kHost + "hOST:evil.example\r\n\r\n") ==
        "has two Host fields");
  // An address stays refused if somebody takes one for the name.
  Driver driver("192.0.2.1", 80);
  driver.feed(with("192.0.2.1"));
  CHECK(driver.seen().problem == "asks for 192.0.2.1");
}

TEST_CASE("targets") {
  const auto line = [](const std::string& first) { return first + "\r\n" + kHost + "\r\n"; };
  for (const auto* first : {"GET http://evil.example/ HTTP/1.1",
                            "GET http://ok.example@evil.example/ HTTP/1.1",
                            "GET http://ok.example:81/ HTTP/1.1",
                            "GET http:///ok.example/ HTTP/1.1",
                            "GET http://ok.example\\@evil.example/ HTTP/1.1",
                            "GET http://evil.example#@ok.example/ HTTP/1.1",
                            "GET http://evil.example?@ok.example/ HTTP/1.1",
                            "GET https://ok.example/ HTTP/1.1",
                            "GET ok.example/ HTTP/1.1",
                            "GET ok.example:80 HTTP/1.1",
                            "GET * HTTP/1.1",
                            "GET  HTTP/1.1",
                            "GET / x HTTP/1.1",
                            "GET  / HTTP/1.1",
                            "GET\t/ HTTP/1.1",
                            " GET / HTTP/1.1",
                            "GET / HTTP/1.1 ",
                            "GET / HTTP/1.2",
                            "GET / HTTP/2.0",
                            "GET / http/1.1",
                            "GET / HTTP/1.10",
                            "GET / HTTP/01.1",
                            "GET /\xc2\xa0 HTTP/1.1",
                            "GET /a#b HTTP/1.1",
                            "GET /",
                            "GET",
                            "CONNECT ok.example:80 HTTP/1.1",
                            "connect / HTTP/1.1",
                            "Pri / HTTP/1.1",
                            "CONNECT evil.example:443 HTTP/1.1",
                            "PRI * HTTP/2.0",
                            "G(T / HTTP/1.1",
                            "",
                            "\x16\x03\x01"}) {
    CAPTURE(first);
    CHECK_FALSE(problem_of(line(first)).empty());
  }
  CHECK(problem_of(line("GET http://evil.example/ HTTP/1.1")) == "asks for evil.example");
  CHECK(problem_of("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") == "speaks HTTP/2 without TLS");
  CHECK(problem_of("GET /\r\n") == "asks as HTTP/0.9 did");
  CHECK(problem_of("GET /\n") == "sends a line that does not end with CR and LF");
}

TEST_CASE("a second request is read as the first") {
  const std::string first = post("Content-Length: 3\r\n") + "abc";
  CHECK(passes_naive(first + kEvil));
  CHECK(problem_of(first + kEvil, first) == "asks for evil.example");
  // A body that is longer, or shorter, than it says.
  const std::string longer = "def" + kEvil;  // the method "defGET", and still another host
  CHECK(problem_of(first + longer, first) == "asks for evil.example");
  CHECK(problem_of(first + "\r\n" + kEvil, first) == "sends an empty line where a request belongs");
  CHECK(problem_of(post("") + "abc\r\n\r\n", post("")) ==
        "has a request line that is not HTTP/1's: abc");
}

TEST_CASE("chunks") {
  const std::string head = post("Transfer-Encoding: chunked\r\n");
  for (const auto* line :
       {"", "g", "0x5", "+5", "-5", " 5", "5 ", "5 ;a", "5; a", "5;a=\"b\"", "5\t",
        "ffffffffffffffff5", "1000000000000000", "5,5", "5:", "5\n;", "5;\n", "5;a\rb", "5;\x01"}) {
    CAPTURE(line);
    CHECK_FALSE(problem_of(head + line + "\r\nhello\r\n0\r\n\r\n", head).empty());
  }
  const std::string chunk = head + "5\r\nhello";
  for (const auto* end : {"x\r\n", "\n", "\rx", "\n\r"})
    CHECK(problem_of(chunk + end + "0\r\n\r\n", chunk) ==
          "has a chunk that is longer than it says");
  const std::string last = chunk + "\r\n0\r\n";
  CHECK(problem_of(last + "\r\n" + kEvil, last + "\r\n") == "asks for evil.example");
  // What follows the last chunk without the empty line is a trailer.
  CHECK_FALSE(problem_of(last + kEvil, last).empty());
  CHECK(problem_of(last + "Host: evil.example\r\n\r\n", last) == "has a field Host behind a body");
  CHECK(problem_of(last + "Content_Length: 9\r\n\r\n", last)
            .starts_with("has a field Content_Length"));
  CHECK_FALSE(problem_of(last + " X: y\r\n\r\n", last).empty());
  CHECK_FALSE(problem_of(last + "X: y\n\n", last).empty());
}

TEST_CASE("a way into HTTP/2 without TLS") {
  const std::string preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  const std::string asks = "Upgrade: h2c\r\nConnection: Upgrade\r\n";
  const std::string empty = post(asks);
  CHECK(problem_of(empty + preface, empty) == "speaks HTTP/2 without TLS");
  const std::string body = post(asks + "Content-Length: 99\r\n");
  CHECK(problem_of(body + preface, body) == "speaks HTTP/2 without TLS in a body");
  CHECK(watch(body + "PRIx", 1, 1).state == State::passing);
  CHECK(watch(post(asks + "Content-Length: 3\r\n") + "PRI" + post(""), 1, 1).state ==
        State::passing);
  CHECK(problem_of_fields(asks + "Upgrade: websocket\r\n") == "has two Upgrade fields");
  CHECK(problem_of_fields("Upgrade: h2c, websocket\r\n") ==
        "asks for a choice of protocols: h2c, websocket");
  CHECK(problem_of_fields("Upgrade: TLS/1.0\r\nContent-Length: 1\r\n") ==
        "asks for another protocol with a body: TLS/1.0");
  CHECK(problem_of_fields("Upgrade: connect-udp\r\nTransfer-Encoding: chunked\r\n") ==
        "asks for another protocol with a body: connect-udp");
  CHECK(problem_of_fields("Upgrade: websocket\r\nContent-Length: 1\r\n") ==
        "asks for a WebSocket with a body");
}

}  // namespace
