// [udp:]HOST:PORT: what each form matches, and what is told of those that are none.
#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "network/rule.hpp"

using namespace sbx::network;

namespace {

Rule rule(std::string_view text) {
  const auto read = parse_rule(text);
  REQUIRE_MESSAGE(read.has_value(), text << " " << (read ? "" : read.error()));
  return *read;
}

bool names(std::string_view text, std::string_view name) {
  return rule(text).names_host(normal_name(name));
}

bool covers(std::string_view text, std::string_view address) {
  return rule(text).contains(parse_address(address).value());
}

}  // namespace

TEST_CASE("names") {
  CHECK(names("example.org:443", "example.org"));
  CHECK(names("Example.ORG.:443", "eXample.org."));
  CHECK_FALSE(names("example.org:443", "www.example.org"));
  CHECK_FALSE(names("example.org:443", "example.org.evil.net"));
  CHECK_FALSE(names("example.org:443", "notexample.org"));
  CHECK(names("_sip._tcp.example.org:5060", "_sip._tcp.example.org"));
  CHECK(names("xn--bcher-kva.example:443", "XN--BCHER-KVA.example"));
  CHECK(names("registry:5000", "registry"));
  CHECK(normal_name("A.B.") == "a.b");
  CHECK(normal_name("") == "");
  CHECK(normal_name(".") == "");
}

TEST_CASE("suffixes match any depth below, and not themselves") {
  CHECK(names("*.example.org:443", "www.example.org"));
  CHECK(names("*.example.org:443", "a.b.c.example.org"));
  CHECK_FALSE(names("*.example.org:443", "example.org"));
  CHECK_FALSE(names("*.example.org:443", ".example.org"));
  CHECK_FALSE(names("*.example.org:443", "evilexample.org"));
  CHECK_FALSE(names("*.example.org:443", "www.example.org.evil.net"));
}

TEST_CASE("addresses and networks") {
  CHECK(covers("10.1.0.0/16:5432", "10.1.2.3"));
  CHECK(covers("10.1.0.0/16:5432", "::ffff:10.1.2.3"));
  CHECK(covers("[::ffff:10.1.0.0/112]:5432", "10.1.2.3"));
  CHECK(covers("[2001:db8::/32]:443", "2001:db8::5"));
  CHECK(covers("[2001:db8::5]:443", "2001:db8::5"));
  CHECK_FALSE(covers("[2001:db8::5]:443", "2001:db8::6"));
  CHECK_FALSE(covers("example.org:443", "10.1.2.3"));
  CHECK_FALSE(rule("10.1.2.3:80").names_host("10.1.2.3"));
}

TEST_CASE("protocols and ports") {
  CHECK(rule("example.org:443").protocol == Protocol::tcp);
  CHECK(rule("udp:example.org:443").protocol == Protocol::udp);
  CHECK(rule("udp:[2001:db8::1]:443").protocol == Protocol::udp);
  CHECK(rule("udp:example.org:443").text == "udp:example.org:443");
  CHECK(rule("example.org:443").ports == PortRange{443, 443});
  CHECK(rule("example.org:8000-8100").ports == PortRange{8000, 8100});
  CHECK(rule("example.org:*").ports == PortRange{1, 65535});
  CHECK(rule("example.org:*").ports.size() == 65535);
  CHECK(rule("10.0.0.0/8:1-65535").ports.contains(65535));
}

TEST_CASE("what is no rule") {
  const std::pair<std::string_view, std::string_view> wrong[] = {
      {"", "needs a port"},
      {"example.org", "needs a port"},
      {"https://example.org", "is a URL"},
      {"tcp:example.org:443", "needs no `tcp:`"},
      {"example.org:443,example.com:443", "is a list; each rule is one of its own"},
      {"example.org:80,443", "is a list"},
      {"example.org:53/udp", "begins with `udp:`"},
      {"example.org:443/tcp", "has its protocol behind"},
      {"example.org:", "has a port that is no number"},
      {"example.org:0", "has a port that is no number"},
      {"example.org:65536", "has a port that is no number"},
      {"example.org:https", "has a port that is no number"},
      {"example.org:+443", "has a port that is no number"},
      {"example.org: 443", "has a port that is no number"},
      {"example.org:443-", "has a range of ports that is not"},
      {"example.org:-443", "has a range of ports that is not"},
      {"example.org:1-2-3", "has a range of ports that is not"},
      {"example.org:0-9", "has a range of ports that is not"},
      {"example.org:90-80", "ends before it begins"},
      {"2001:db8::1:443", "needs brackets"},
      {"[2001:db8::1]", "needs a port"},
      {"[2001:db8::1:443", "has no closing"},
      {"[example.org]:443", "has brackets around"},
      {"[2001:db8::g]:443", "is neither"},
      {"[fe80::1%eth0]:443", "is neither"},
      {"*:443", "would allow every host"},
      {"*.:443", "would allow every host"},
      {"*example.org:443", "is neither"},
      {"www.*.org:443", "is neither"},
      {"*.*.org:443", "is neither"},
      {"-a.example.org:443", "is neither"},
      {"a..example.org:443", "is neither"},
      {".example.org:443", "is neither"},
      {"ex ample.org:443", "is neither"},
      {"b\xc3\xbc"
       "cher.example:443",
       "xn--"},
      {"1.2.3:443", "is neither"},
      {"999.1.1.1:443", "is neither"},
      {"2130706433:443", "is neither"},
      {"0x7f000001:443", "is neither"},
      {"example.org/8:443", "has no address before"},
      {"10.0.0.0/33:443", "has a prefix length that is no number up to 32"},
      {"[::/129]:443", "has a prefix length that is no number up to 128"},
      {"10.1.2.3/16:443", "the network is 10.1.0.0/16"},
      {"[2001:db8::1/32]:443", "the network is 2001:db8::/32"},
      {"udp:", "needs a port"},
      {"udp:udp:example.org:443", "needs brackets"},
  };
  for (const auto& [text, problem] : wrong) {
    const auto read = parse_rule(text);
    CHECK_MESSAGE(!read, text);
    if (!read) CHECK_MESSAGE(read.error().contains(problem), text << ": " << read.error());
  }
  CHECK_FALSE(parse_rule(std::string(254, 'a') + ":443"));
  CHECK_FALSE(parse_rule(std::string(64, 'a') + ".org:443"));
}
