// What is reached and what is not, and the line that would change it.
#include <doctest/doctest.h>

#include <initializer_list>
#include <string>

#include "network/policy.hpp"

using namespace sbx::network;
using enum AddressClass;

namespace {

Policy policy(std::initializer_list<std::string_view> allow,
              std::initializer_list<std::string_view> deny = {}) {
  Policy out;
  for (const std::string_view text : allow) out.allow.push_back(parse_rule(text).value());
  for (const std::string_view text : deny) {
    if (const auto what = parse_address_class(text)) {
      out.deny_classes.push_back(*what);
    } else {
      out.deny.push_back(parse_rule(text).value());
    }
  }
  return out;
}

Endpoint at(std::string_view address, std::uint16_t port) {
  return {.address = parse_address(address).value(), .port = port};
}

Decision literal(const Policy& p, std::string_view address, std::uint16_t port = 443) {
  return decide_address(p, Protocol::tcp, at(address, port), false);
}
Decision resolved(const Policy& p, std::string_view address, std::uint16_t port = 443,
                  bool of_host = false) {
  return decide_resolved(p, Protocol::tcp, "example.org", at(address, port), of_host);
}

std::string ports(const Policy& p, Protocol protocol) {
  std::string out;
  for (const PortRange& range : ports_of(p, protocol))
    out += std::to_string(range.first) + '-' + std::to_string(range.last) + ' ';
  return out;
}

}  // namespace

TEST_CASE("a name needs a rule for its protocol and port") {
  const Policy p = policy({"example.org:443", "udp:stun.example.org:3478"});
  const Decision yes = decide_name(p, Protocol::tcp, "example.org", 443);
  CHECK(yes.allowed);
  CHECK(yes.because == "network.allow: example.org:443");
  CHECK(yes.allow_with.empty());
  const Decision no = decide_name(p, Protocol::tcp, "evil.example.org", 443);
  CHECK_FALSE(no.allowed);
  CHECK(no.because == "no rule of network.allow names evil.example.org");
  CHECK(no.allow_with == "network: {allow: [\"evil.example.org:443\"]}");
  const Decision port = decide_name(p, Protocol::tcp, "example.org", 80);
  CHECK_FALSE(port.allowed);
  CHECK(port.because == "network.allow has example.org, but not for port 80");
  const Decision udp = decide_name(p, Protocol::udp, "example.org", 443);
  CHECK_FALSE(udp.allowed);
  CHECK(udp.because == "network.allow has example.org, but not for udp");
  CHECK(udp.allow_with == "network: {allow: [\"udp:example.org:443\"]}");
  CHECK(decide_name(p, Protocol::udp, "stun.example.org", 3478).allowed);
  CHECK_FALSE(decide_name(policy({}), Protocol::tcp, "example.org", 443).allowed);
  // An address rule is for addresses.
  CHECK_FALSE(decide_name(policy({"0.0.0.0/0:*"}), Protocol::tcp, "example.org", 443).allowed);
}

TEST_CASE("what is denied wins") {
  const Policy p = policy({"*.example.org:*", "10.0.0.0/8:*"},
                          {"evil.example.org:443", "10.9.0.0/16:*", "udp:*.example.org:*"});
  const Decision no = decide_name(p, Protocol::tcp, "evil.example.org", 443);
  CHECK_FALSE(no.allowed);
  CHECK(no.because == "network.deny: evil.example.org:443");
  CHECK(no.allow_with == "network: {deny: !replace [\"10.9.0.0/16:*\", \"udp:*.example.org:*\"]}");
  CHECK(decide_name(p, Protocol::tcp, "evil.example.org", 80).allowed);
  // Without it nothing would allow it either, and taking it away would be for nothing.
  CHECK(decide_name(policy({"a.org:1"}, {"b.org:*"}), Protocol::tcp, "b.org", 1).allow_with == "");
  CHECK(decide_lookup(policy({"a.org:1"}, {"b.org:*"}), "b.org").allow_with == "");
  CHECK(resolved(policy({"example.org:443"}, {"private"}), "10.8.0.1").allow_with == "");
  CHECK(literal(p, "10.8.0.1").allowed);
  CHECK(literal(p, "10.9.0.1").because == "network.deny: 10.9.0.0/16:*");
  CHECK_FALSE(resolved(p, "10.9.0.1").allowed);
  // In the forms that a translator on the way sends there as well.
  const Policy carried = policy({"[::/0]:443", "example.org:443"}, {"8.8.8.8:443"});
  CHECK(literal(carried, "64:ff9b::8.8.8.8").because == "network.deny: 8.8.8.8:443");
  CHECK_FALSE(resolved(carried, "64:ff9b::8.8.8.8").allowed);
  CHECK_FALSE(resolved(carried, "2002:808:808::1").allowed);
  CHECK(resolved(carried, "64:ff9b::8.8.8.9").allowed);
  const Policy classes = policy({"10.0.0.0/8:*", "example.org:443"}, {"private"});
  CHECK(literal(classes, "10.8.0.1").because == "network.deny: private");
  CHECK(literal(classes, "10.8.0.1").allow_with == "network: {deny: !replace []}");
  CHECK_FALSE(resolved(classes, "10.8.0.1").allowed);
  CHECK(resolved(classes, "1.1.1.1").allowed);
}

TEST_CASE("an allowed name leads to ordinary addresses only") {
  const Policy p = policy({"example.org:443"});
  CHECK(resolved(p, "93.184.216.34").allowed);
  CHECK(resolved(p, "2606:4700::1111").allowed);
  for (const std::string_view address : {"10.0.0.5",
                                         "192.168.1.1",
                                         "100.64.0.1",
                                         "169.254.1.1",
                                         "169.254.169.254",
                                         "127.0.0.1",
                                         "127.8.8.8",
                                         "0.0.0.0",
                                         "224.0.0.1",
                                         "255.255.255.255",
                                         "240.0.0.1",
                                         "198.18.0.1",
                                         "::1",
                                         "::",
                                         "fe80::1",
                                         "fd00:ec2::254",
                                         "fc00::1",
                                         "ff02::1",
                                         "64:ff9b::10.0.0.1",
                                         "2002:7f00:1::1",
                                         "::ffff:10.0.0.5"})
    CHECK_MESSAGE(!resolved(p, address).allowed, address);
  const Decision no = resolved(p, "10.0.0.5");
  CHECK(no.because ==
        "example.org has the address 10.0.0.5, a private address, which no rule of network.allow "
        "is for");
  CHECK(no.allow_with == "network: {allow: [\"10.0.0.5:443\"]}");
  CHECK(resolved(p, "169.254.169.254").because.contains("the cloud's metadata address"));
  CHECK(resolved(p, "fd00:ec2::254").because.contains("the cloud's metadata address"));
  CHECK(resolved(p, "fd00::1").allow_with == "network: {allow: [\"[fd00::1]:443\"]}");
  const Decision own = resolved(p, "93.184.216.34", 443, true);
  CHECK_FALSE(own.allowed);
  CHECK(own.because.contains("one of the host's own addresses"));
}

TEST_CASE("unless an address rule covers them") {
  const Policy p = policy({"example.org:*", "10.1.0.0/16:5432", "93.184.216.34:443"});
  CHECK(resolved(p, "10.1.2.3", 5432).because == "network.allow: 10.1.0.0/16:5432");
  CHECK(resolved(p, "10.1.2.3", 5432).allowed);
  CHECK_FALSE(resolved(p, "10.1.2.3", 443).allowed);
  CHECK_FALSE(resolved(p, "10.2.2.3", 5432).allowed);
  CHECK(resolved(p, "93.184.216.34", 443, true).allowed);
  // The host is not just one of its network.
  const Policy wide = policy({"example.org:*", "93.184.216.0/24:443"});
  CHECK(resolved(wide, "93.184.216.35", 443, false).allowed);
  CHECK_FALSE(resolved(wide, "93.184.216.35", 443, true).allowed);
  CHECK_FALSE(
      decide_resolved(p, Protocol::udp, "example.org", at("10.1.2.3", 5432), false).allowed);
}

TEST_CASE("a rule that is wider than a class does not name it") {
  const Policy p = policy({"0.0.0.0/0:*", "[::/0]:*", "128.0.0.0/1:*", "[64:ff9b::/96]:*"});
  CHECK(literal(p, "93.184.216.34").allowed);
  CHECK(literal(p, "2606:4700::1111").allowed);
  CHECK(literal(p, "64:ff9b::8.8.8.8").allowed);
  for (const std::string_view address : {"10.0.0.5", "192.168.1.1", "169.254.169.254", "127.0.0.1",
                                         "::1", "fd00::1", "fe80::1", "64:ff9b::10.0.0.1"})
    CHECK_MESSAGE(!literal(p, address).allowed, address);
  CHECK(literal(policy({"169.254.169.254:80"}), "169.254.169.254", 80).allowed);
}

TEST_CASE("nor does one that begins with the class") {
  const Policy p = policy({"0.0.0.0/0:*", "[::/0]:*", "10.0.0.0/7:*", "[2001::/16]:*"});
  // Oracle's metadata, the networks of tests, and what the IETF keeps.
  for (const std::string_view address : {"192.0.0.192", "198.18.5.5", "240.0.0.1", "0.0.0.1",
                                         "10.0.0.5", "2001:db8::1", "2001:2::1"})
    CHECK_MESSAGE(!literal(p, address).allowed, address);
  CHECK(literal(policy({"192.0.0.0/24:80"}), "192.0.0.192", 80).allowed);
  CHECK(literal(policy({"240.0.0.0/4:80"}), "240.0.0.1", 80).allowed);
  CHECK(literal(policy({"[2001:db8::/32]:80"}), "2001:db8::1", 80).allowed);
}

TEST_CASE("no address is the host's loopback to connect(2)") {
  const Policy p = policy({"example.org:*", "0.0.0.0/0:*", "[::/0]:*"});
  // The host's routes send :: elsewhere: it is no address of the host's by them.
  CHECK_FALSE(resolved(p, "::", 22, false).allowed);
  CHECK_FALSE(resolved(p, "0.0.0.0", 22, false).allowed);
  CHECK_FALSE(decide_resolved(p, Protocol::udp, "example.org", at("::", 22), false).allowed);
}

TEST_CASE("literal addresses need an address rule") {
  const Policy p = policy({"example.org:443", "10.1.0.0/16:443", "[2606:4700::/32]:443"});
  CHECK(literal(p, "10.1.2.3").allowed);
  CHECK(literal(p, "::ffff:10.1.2.3").allowed);
  CHECK(literal(p, "2606:4700::1111").allowed);
  const Decision no = literal(p, "93.184.216.34");
  CHECK_FALSE(no.allowed);
  CHECK(no.because == "no rule of network.allow is for the address 93.184.216.34 and tcp port 443");
  CHECK(no.allow_with == "network: {allow: [\"93.184.216.34:443\"]}");
  CHECK(literal(p, "169.254.169.254").because ==
        "no rule of network.allow is for the address 169.254.169.254, the cloud's metadata "
        "address, and tcp port 443");
}

TEST_CASE("the host's loopback is for host_ports") {
  Policy p = policy({"example.org:5432"});
  p.host_ports = {5432};
  CHECK(literal(p, "127.0.0.1", 5432).because == "network.host_ports: 5432");
  CHECK(literal(p, "127.3.2.1", 5432).allowed);
  CHECK(literal(p, "::1", 5432).allowed);
  CHECK(resolved(p, "127.0.0.1", 5432).allowed);
  const Decision no = literal(p, "127.0.0.1", 22);
  CHECK_FALSE(no.allowed);
  CHECK(no.because == "127.0.0.1 is the host's loopback, and network.host_ports does not have 22");
  CHECK(no.allow_with == "network: {host_ports: [22]}");
  CHECK_FALSE(decide_address(p, Protocol::udp, at("127.0.0.1", 5432), false).allowed);
  CHECK_FALSE(literal(policy({"0.0.0.0/0:*"}), "127.0.0.1", 5432).allowed);
  CHECK_FALSE(literal(p, "64:ff9b::127.0.0.1", 5432).allowed);
  // In every form that leads there.
  p.deny_classes = {loopback};
  for (const std::string_view here : {"127.0.0.1", "::1", "0.0.0.0", "::"})
    CHECK_MESSAGE(literal(p, here, 5432).because == "network.deny: loopback", here);
  Policy one = policy({}, {"127.0.0.1:5432"});
  one.host_ports = {5432, 5433};
  for (const std::string_view here : {"127.0.0.1", "::1", "0.0.0.0", "::"}) {
    CHECK_MESSAGE(literal(one, here, 5432).because == "network.deny: 127.0.0.1:5432", here);
    CHECK_MESSAGE(literal(one, here, 5433).allowed, here);
  }
}

TEST_CASE("what no rule can name has no line that would allow it") {
  const Policy p = policy({"example.org:443"});
  for (const std::string_view name : {"", "-a.example", "a b.example", "(a\\032b.example)"}) {
    CHECK_FALSE(decide_lookup(p, name).allowed);
    CHECK_MESSAGE(decide_lookup(p, name).allow_with.empty(), name);
    CHECK_MESSAGE(decide_name(p, Protocol::udp, name, 53).allow_with.empty(), name);
  }
}

TEST_CASE("the DNS inside answers for what a rule allows") {
  const Policy p = policy({"example.org:443", "*.cdn.example.org:80-90", "udp:stun.example.org:1"},
                          {"bad.cdn.example.org:*", "half.cdn.example.org:80"});
  CHECK(decide_lookup(p, "example.org").allowed);
  CHECK(decide_lookup(p, "a.b.cdn.example.org").allowed);
  CHECK(decide_lookup(p, "stun.example.org").allowed);
  CHECK(decide_lookup(p, "half.cdn.example.org").allowed);
  CHECK_FALSE(decide_lookup(p, "cdn.example.org").allowed);
  const Decision no = decide_lookup(p, "evil.org");
  CHECK_FALSE(no.allowed);
  CHECK(no.allow_with == "network: {allow: [\"evil.org:443\"]}");
  const Decision denied = decide_lookup(p, "bad.cdn.example.org");
  CHECK_FALSE(denied.allowed);
  CHECK(denied.because == "network.deny: bad.cdn.example.org:*");
  CHECK(denied.allow_with == "network: {deny: !replace [\"half.cdn.example.org:80\"]}");
  CHECK_FALSE(decide_lookup(policy({"10.0.0.0/8:*"}), "example.org").allowed);
  // Denied by tcp, and reached by udp all the same.
  CHECK(decide_lookup(policy({"a.org:1", "udp:a.org:1"}, {"a.org:*"}), "a.org").allowed);
}

TEST_CASE("the ports of the gateway") {
  Policy p = policy({"a.org:443", "b.org:440-450", "c.org:451", "10.0.0.0/8:80", "udp:a.org:3478",
                     "udp:b.org:50-60"});
  p.host_ports = {5432, 80};
  CHECK(ports(p, Protocol::tcp) == "80-80 440-451 5432-5432 ");
  CHECK(ports(p, Protocol::udp) == "50-52 54-60 3478-3478 ");
  CHECK(ports(policy({"a.org:*"}), Protocol::tcp) == "1-52 54-65535 ");
  CHECK(ports(policy({"a.org:50-53"}), Protocol::tcp) == "50-52 ");
  CHECK(ports(policy({}), Protocol::tcp).empty());
  CHECK_FALSE(decide_name(policy({"a.org:*"}), Protocol::tcp, "a.org", 53).allowed);
  CHECK_FALSE(literal(policy({"8.8.8.8:*"}), "8.8.8.8", 53).allowed);
}
