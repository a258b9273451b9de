// The server name in a ClientHello: of real programs, cut anywhere, over records of any size, and
// of hostile ones.
#include <doctest/doctest.h>

#include <algorithm>

#include "protocol/client_hello.hpp"
#include "protocol_samples.hpp"

namespace {

using namespace sbx::protocol;
using State = ServerName::State;
using Data = std::vector<std::uint8_t>;

constexpr std::size_t kRecordHead = 5;

void append(Data& out, const Data& more) { out.insert(out.end(), more.begin(), more.end()); }
Data of_text(std::string_view text) { return {text.begin(), text.end()}; }

/// `data` behind its length in `width` bytes.
Data vector(std::size_t width, const Data& data) {
  Data out;
  for (std::size_t i = width; i-- > 0;)
    out.push_back(static_cast<std::uint8_t>(data.size() >> (8 * i)));
  append(out, data);
  return out;
}
Data joined(const std::vector<Data>& parts) {
  Data out;
  for (const Data& part : parts) append(out, part);
  return out;
}

Data record(const Data& piece, std::uint8_t type = 22) {
  return joined({{type, 3, 1}, vector(2, piece)});
}
/// The handshake bytes of `message` in records of `size` bytes.
Data in_records(const Data& message, std::size_t size) {
  Data out;
  for (std::size_t at = 0; at < message.size(); at += size) {
    const auto from = message.begin() + static_cast<std::ptrdiff_t>(at);
    append(out, record(Data(from, from + static_cast<std::ptrdiff_t>(
                                             std::min(size, message.size() - at)))));
  }
  return out;
}
Data extension(std::uint16_t type, const Data& value) {
  return joined(
      {{static_cast<std::uint8_t>(type >> 8U), static_cast<std::uint8_t>(type)}, vector(2, value)});
}
Data entry(std::string_view name, std::uint8_t type = 0) {
  return joined({{type}, vector(2, of_text(name))});
}
Data named(std::string_view name) { return extension(0, vector(2, entry(name))); }

/// A message with these extensions.
Data message(const std::vector<Data>& extensions) {
  const Data body = joined({{3, 3},
                            Data(32, 7),
                            vector(1, Data(32, 8)),
                            vector(2, {0x13, 1}),
                            vector(1, {0}),
                            vector(2, joined(extensions))});
  return joined({{1}, vector(3, body)});
}
ServerName read(const std::vector<Data>& extensions) {
  return read_server_name(record(message(extensions)));
}

TEST_CASE("the hello of every program, cut at every byte") {
  for (const samples::Hello& hello : samples::hellos()) {
    CAPTURE(hello.from);
    const std::span<const std::uint8_t> all(hello.bytes);
    for (std::size_t size = 0; size < all.size(); ++size)
      REQUIRE(read_server_name(all.first(size)).state == State::incomplete);
    const ServerName result = read_server_name(all);
    CHECK(result.state == (hello.named ? State::found : State::absent));
    CHECK(result.name == (hello.named ? "packages.example.org" : ""));
    CHECK(result.encrypted == (hello.from == "chromium"));
    Data more = hello.bytes;
    append(more, record({0, 0}, 23));
    append(more, hello.bytes);
    CHECK(read_server_name(more).name == result.name);
  }
}

TEST_CASE("records of any size") {
  const Data small = message({named("a.example")});
  for (std::size_t size = 1; size <= small.size(); ++size)
    CHECK(read_server_name(in_records(small, size)).name == "a.example");
  const Data big = message({extension(21, Data(4000, 0)), named("a.example")});
  CHECK(read_server_name(in_records(big, 512)).name == "a.example");
  CHECK(read_server_name(in_records(big, 33)).name == "a.example");
  CHECK(read_server_name(in_records(big, 32)).state == State::not_tls);
  CHECK(read_server_name(in_records(big, 1)).state == State::not_tls);
}

TEST_CASE("what may follow, and what may not stand between") {
  const Data hello = message({named("a.example")});
  const Data first(hello.begin(), hello.begin() + 30);
  for (const std::uint8_t type : Data{0, 20, 21, 23, 24, 128})
    CHECK(read_server_name(joined({record(first), {type}})).state == State::not_tls);
  CHECK(read_server_name(joined({record(first), {22, 3, 5}})).state == State::not_tls);
  CHECK(read_server_name(joined({record(first), {22, 3, 1, 0, 0}})).state == State::not_tls);
  CHECK(read_server_name(joined({record(first), {22, 3, 1, 0x40, 1}})).state == State::not_tls);
  // A second message in the hello's record: a reader that goes on there finds another hello.
  const Data second = message({named("b.example")});
  CHECK(read_server_name(record(joined({hello, second}))).state == State::not_tls);
  CHECK(read_server_name(record(joined({hello, {1}}))).state == State::not_tls);
}

TEST_CASE("no TLS at all") {
  for (const std::string_view text :
       {"GET / HTTP/1.1\r\n", "SSH-2.0-OpenSSH", "\x80\x2e\x01\x03\x01", "\x16\x02\x01",
        "\x16\x03\x01\x01\x10\x02"}) {
    CAPTURE(text);
    CHECK(read_server_name(of_text(text)).state == State::not_tls);
  }
  CHECK(read_server_name(of_text("S")).state == State::not_tls);
  CHECK(read_server_name({}).state == State::incomplete);
  // A length that would never be complete is refused at once.
  CHECK(read_server_name(record({1, 0xff, 0, 0})).state == State::not_tls);
  CHECK(read_server_name(record({1, 0, 0xff, 0xff})).state == State::incomplete);
}

TEST_CASE("names") {
  CHECK(read({named("Packages.EXAMPLE.org.")}).name == "packages.example.org");
  CHECK(read({named("xn--bcher-kva.example")}).name == "xn--bcher-kva.example");
  CHECK(read({named("_a-1.example")}).state == State::found);
  CHECK(read({named(std::string(63, 'a') + ".example")}).state == State::found);
  const std::vector<std::string> wrong{"",
                                       ".",
                                       "..",
                                       ".a",
                                       "a..b",
                                       "a b",
                                       "a/b",
                                       "a:443",
                                       "b\xc3\xbc.ch",
                                       "*.example.org",
                                       "[::1]",
                                       "a.example\n",
                                       "user@a",
                                       std::string("a.example\0.b", 12),
                                       std::string(64, 'a'),
                                       std::string(127, 'a').insert(60, 1, '.').append(200, '.')};
  for (const std::string& name : wrong) {
    CAPTURE(name);
    CHECK(read({named(name)}).state == State::not_tls);
  }
}

TEST_CASE("a name is said once") {
  CHECK(read({}).state == State::absent);
  CHECK(read({extension(16, {0, 0})}).state == State::absent);
  CHECK(read({named("a.example"), named("b.example")}).state == State::not_tls);
  CHECK(read({named("a.example"), extension(10, {}), named("a.example")}).state == State::not_tls);
  const auto list = [](const std::vector<Data>& entries) {
    return read({extension(0, vector(2, joined(entries)))}).state;
  };
  CHECK(list({entry("a.example")}) == State::found);
  CHECK(list({entry("a.example"), entry("b.example")}) == State::not_tls);
  CHECK(list({entry("a.example"), entry("b.example", 1)}) == State::not_tls);
  CHECK(list({entry("a.example", 1)}) == State::not_tls);
  CHECK(list({}) == State::not_tls);
  CHECK(read({extension(0, {})}).state == State::not_tls);
  CHECK(read({extension(0, joined({vector(2, entry("a.example")), {0}}))}).state == State::not_tls);
}

TEST_CASE("lengths that do not agree") {
  Data hello = record(message({named("a.example")}));
  CHECK(read_server_name(hello).state == State::found);
  // Every length in it, a byte more or less: of session, suites, compressions, extensions, and of
  // the name in its three wrappings. Those of record and message only move the end.
  const std::size_t session = kRecordHead + 4 + 2 + 32;
  const std::size_t suites = session + 1 + 32;
  for (const std::size_t at :
       {session, suites + 1, suites + 4, suites + 7, suites + 11, suites + 13, suites + 16}) {
    CAPTURE(at);
    for (const int change : {-1, 1}) {
      Data changed = hello;
      changed[at] = static_cast<std::uint8_t>(changed[at] + change);
      CHECK(read_server_name(changed).state == State::not_tls);
    }
  }
  // Without extensions at all, as before TLS 1.2.
  const Data body = joined({{3, 0}, Data(32, 7), {0}, vector(2, {0, 5}), {1, 0}});
  CHECK(read_server_name(record(joined({{1}, vector(3, body)}))).state == State::absent);
}

TEST_CASE("a verdict does not depend on what follows, with any byte changed") {
  for (const samples::Hello& hello : samples::hellos()) {
    if (hello.bytes.size() > 400) continue;
    CAPTURE(hello.from);
    for (std::size_t at = 0; at < hello.bytes.size(); ++at) {
      Data changed = hello.bytes;
      changed[at] ^= static_cast<std::uint8_t>(1U << at % 8);
      const std::span<const std::uint8_t> all(changed);
      const ServerName whole = read_server_name(all);
      bool decided = false;
      for (std::size_t size = 0; size <= all.size(); size += 7) {
        const ServerName part = read_server_name(all.first(size));
        if (decided) REQUIRE(part.state != State::incomplete);
        if (part.state == State::incomplete) continue;
        decided = true;
        REQUIRE(part.state == whole.state);
        REQUIRE(part.name == whole.name);
      }
    }
  }
}

TEST_CASE("64 KiB, heads of records included") {
  const auto sized = [](std::size_t padding) {
    return read_server_name(
        in_records(message({named("a.example"), extension(21, Data(padding, 0))}), 16384));
  };
  CHECK(sized(60000).state == State::found);
  const Data base = in_records(message({named("a.example"), extension(21, Data(60000, 0))}), 16384);
  const std::size_t room = kMostClientHello - base.size();
  CHECK(sized(60000 + room).state == State::found);
  CHECK(sized(60000 + room + 1).state == State::not_tls);
}

}  // namespace
