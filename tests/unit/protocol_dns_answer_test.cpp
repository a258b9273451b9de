// Answers, read back by a reader of their own; addresses of reverse names.
#include <doctest/doctest.h>

#include <string>

#include "protocol/dns_message.hpp"

namespace {

using namespace sbx;
using namespace sbx::protocol;
using namespace std::string_literals;

const std::string kAsked = "\7eXaMPLe\3ORG\0\0\1\0\1"s;

DnsQuery query(bool edns = false) {
  return {.id = 0xabcd,
          .recursion_desired = true,
          .name = "example.org",
          .asked = kAsked,
          .type = 1,
          .edns = edns};
}

TEST_CASE("an address") {
  const std::string v4 =
      write_answer(query(), {.address = network::v4(198, 18, 0, 7), .ttl = 0x01020304});
  CHECK(v4 ==
        "\xab\xcd\x81\x80\0\1\0\1\0\0\0\0"s + kAsked + "\xc0\x0c\0\1\0\1\1\2\3\4\0\4\xc6\x12\0\7"s);
  const std::string v6 =
      write_answer(query(), {.address = network::parse_address("fd00::1"), .ttl = 1});
  CHECK(v6 == "\xab\xcd\x81\x80\0\1\0\1\0\0\0\0"s + kAsked +
                  "\xc0\x0c\0\x1c\0\1\0\0\0\1\0\x10\xfd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1"s);
}

TEST_CASE("no address, with EDNS and without") {
  CHECK(write_answer(query(), {}) == "\xab\xcd\x81\x80\0\1\0\0\0\0\0\0"s + kAsked);
  CHECK(write_answer(query(true), {.code = DnsCode::refused}) ==
        "\xab\xcd\x81\x85\0\1\0\0\0\0\0\1"s + kAsked + "\0\0\x29\x04\xd0\0\0\0\0\0\0"s);
  DnsQuery quiet = query();
  quiet.recursion_desired = false;
  CHECK(write_answer(quiet, {.code = DnsCode::no_such_name}).substr(2, 2) == "\x80\x83"s);
}

TEST_CASE("a pointer") {
  const std::string answer = write_answer(query(), {.pointer = "a.example", .ttl = 60});
  CHECK(answer == "\xab\xcd\x81\x80\0\1\0\1\0\0\0\0"s + kAsked +
                      "\xc0\x0c\0\x0c\0\1\0\0\0\x3c\0\x0b\1a\7example\0"s);
  for (const std::string& wrong : {"a..b"s, "a b"s, std::string(64, 'a'), "(a)"s}) {
    const std::string failed = write_answer(query(), {.pointer = wrong});
    CHECK(failed == "\xab\xcd\x81\x82\0\1\0\0\0\0\0\0"s + kAsked);
  }
}

TEST_CASE("the longest answers fit into a datagram") {
  const std::string label = "\x3f"s + std::string(63, 'a');
  DnsQuery longest = query(true);
  longest.asked = label + label + label + "\x3d"s + std::string(61, 'b') + "\0\0\x1c\0\1"s;
  CHECK(write_answer(longest, {.address = network::parse_address("fd00::1")}).size() <= 512);
  longest.asked.clear();
  for (int i = 0; i < 32; ++i) longest.asked += "\1f"s;
  longest.asked += "\3ip6\4arpa\0\0\x0c\0\1"s;
  const std::string name = std::string(63, 'a') + "." + std::string(63, 'b') + "." +
                           std::string(63, 'c') + "." + std::string(61, 'd');
  const std::string answer = write_answer(longest, {.pointer = name});
  CHECK(answer.substr(2, 2) == "\x81\x80"s);
  CHECK(answer.size() <= 512);
}

TEST_CASE("rejections") {
  CHECK(write_rejection({}).empty());
  CHECK(write_rejection({.code = DnsCode::format_error, .id = 0x1234}) ==
        "\x12\x34\x80\x81\0\0\0\0\0\0\0\0"s);
  CHECK(write_rejection({.code = DnsCode::not_implemented, .id = 1, .recursion_desired = true}) ==
        "\0\1\x81\x84\0\0\0\0\0\0\0\0"s);
}

TEST_CASE("reverse names") {
  CHECK(reverse_name("7.0.18.198.in-addr.arpa") == network::v4(198, 18, 0, 7));
  CHECK(reverse_name("255.255.255.255.in-addr.arpa") == network::v4(255, 255, 255, 255));
  for (const auto* wrong :
       {"", "in-addr.arpa", ".in-addr.arpa", "1.2.3.in-addr.arpa", "1.2.3.4.5.in-addr.arpa",
        "256.0.0.1.in-addr.arpa", "01.0.0.1.in-addr.arpa", "+1.0.0.1.in-addr.arpa",
        "-1.0.0.1.in-addr.arpa", "1..0.1.in-addr.arpa", "1.2.3.4.in-addr.arpa.",
        "1.2.3.4.in-addr.arpa.x", "x1.2.3.4.in-addr.arpa", "1.2.3.4xin-addr.arpa",
        "1.2.3.4.ip6.arpa", "(1.2.3.4.in-addr.arpa)"})
    CHECK_FALSE(reverse_name(wrong));
  const std::string v6 = "b.a.9.8.7.6.5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa";
  CHECK(reverse_name(v6) == network::parse_address("2001:db8::567:89ab"));
  CHECK_FALSE(reverse_name(v6.substr(2)));
  CHECK_FALSE(reverse_name("0." + v6));
  CHECK_FALSE(reverse_name("g" + v6.substr(1)));
  CHECK_FALSE(reverse_name("-" + v6.substr(1)));
  CHECK_FALSE(reverse_name("b0" + v6.substr(2)));
  CHECK_FALSE(reverse_name("b-" + v6.substr(2)));
}

}  // namespace
