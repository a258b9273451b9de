// One value for each address however it is written, and what each address is for.
#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "network/address.hpp"

using namespace sbx::network;

namespace {

std::string read_back(std::string_view text) {
  const auto address = parse_address(text);
  return address ? to_string(*address) : "none";
}

std::string class_name(std::string_view text) {
  const auto address = parse_address(text);
  return address ? std::string(to_string(class_of(*address))) : "none";
}

bool within(std::string_view prefix, std::string_view address) {
  return parse_prefix(prefix).value().contains(parse_address(address).value());
}

}  // namespace

TEST_CASE("an address has one value") {
  CHECK(parse_address("192.0.2.1") == v4(192, 0, 2, 1));
  CHECK(parse_address("::ffff:192.0.2.1") == v4(192, 0, 2, 1));
  CHECK(parse_address("::FFFF:c000:201") == v4(192, 0, 2, 1));
  CHECK(v4(192, 0, 2, 1).is_v4());
  CHECK_FALSE(parse_address("::192.0.2.1").value().is_v4());
  CHECK(read_back("::ffff:192.0.2.1") == "192.0.2.1");
  CHECK(read_back("2001:DB8:0:0::1") == "2001:db8::1");
  CHECK(to_string(Endpoint{v4(192, 0, 2, 1), 443}) == "192.0.2.1:443");
  CHECK(to_string(Endpoint{parse_address("2001:db8::1").value(), 80}) == "[2001:db8::1]:80");
}

TEST_CASE("what programs read as an address, and is none") {
  for (const std::string_view text :
       {"", "1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "1.2.3.4.", " 1.2.3.4", "1.2.3",
        "1.2.3.256", "[::1]", "::1%lo", "fe80::1%eth0", "1.2.3.4/32", ":::", "1::2::3",
        "::ffff:1.2.3.4.5", "example.org"})
    CHECK_MESSAGE(read_back(text) == "none", text);
  CHECK_FALSE(parse_address(std::string_view("1.2.3.4\0.example.org", 20)));
  CHECK_FALSE(parse_address(std::string(10000, ':')));
}

TEST_CASE("prefixes") {
  CHECK(within("10.1.0.0/16", "10.1.255.255"));
  CHECK_FALSE(within("10.1.0.0/16", "10.2.0.0"));
  CHECK(within("10.1.2.3", "10.1.2.3"));
  CHECK(within("10.1.2.3", "::ffff:10.1.2.3"));
  CHECK(within("::ffff:10.1.0.0/112", "10.1.2.3"));
  CHECK(within("0.0.0.0/0", "203.0.113.9"));
  CHECK_FALSE(within("0.0.0.0/0", "2001:db8::1"));
  CHECK(within("2001:db8::/33", "2001:db8:7fff::1"));
  CHECK_FALSE(within("2001:db8::/33", "2001:db8:8000::1"));
  CHECK(within("::/0", "2001:db8::1"));
  CHECK_FALSE(within("::/0", "10.0.0.1"));  // IPv4 is named as such
  CHECK(parse_prefix("10.1.2.3/16") == parse_prefix("10.1.0.0/16"));
  for (const std::string_view text : {"10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/-1", "/8",
                                      "10.0.0.0/8/8", "a/8", "10.0.0.0/ 8"})
    CHECK_MESSAGE(!parse_prefix(text), text);
}

TEST_CASE("classes") {
  const std::pair<std::string_view, std::string_view> expected[] = {
      {"1.1.1.1", "global"},
      {"93.184.216.34", "global"},
      {"2606:4700::1111", "global"},
      {"0.0.0.0", "reserved"},
      {"0.1.2.3", "reserved"},
      {"9.255.255.255", "global"},
      {"10.0.0.0", "private"},
      {"10.255.255.255", "private"},
      {"11.0.0.0", "global"},
      {"100.63.255.255", "global"},
      {"100.64.0.0", "private"},
      {"100.127.255.255", "private"},
      {"100.128.0.0", "global"},
      {"127.0.0.1", "loopback"},
      {"127.255.255.255", "loopback"},
      {"169.254.169.254", "link-local"},
      {"168.63.129.16", "link-local"},
      {"172.15.255.255", "global"},
      {"172.16.0.0", "private"},
      {"172.31.255.255", "private"},
      {"172.32.0.0", "global"},
      {"192.0.0.8", "reserved"},
      {"192.0.2.1", "reserved"},
      {"192.168.0.1", "private"},
      {"192.169.0.1", "global"},
      {"198.17.255.255", "global"},
      {"198.18.0.1", "reserved"},
      {"198.19.255.255", "reserved"},
      {"198.20.0.0", "global"},
      {"198.51.100.7", "reserved"},
      {"203.0.113.7", "reserved"},
      {"223.255.255.255", "global"},
      {"224.0.0.1", "multicast"},
      {"239.255.255.255", "multicast"},
      {"240.0.0.1", "reserved"},
      {"255.255.255.255", "multicast"},
      {"::", "reserved"},
      {"::1", "loopback"},
      {"::2", "reserved"},
      {"fe80::1", "link-local"},
      {"febf::1", "link-local"},
      {"fec0::1", "private"},
      {"fc00::1", "private"},
      {"fd00:ec2::254", "private"},
      {"ff02::1", "multicast"},
      {"2001:db8::1", "reserved"},
      {"3fff::1", "reserved"},
      {"100::1", "reserved"},
      {"4000::1", "reserved"},
      {"::ffff:127.0.0.1", "loopback"},
      {"::ffff:10.0.0.1", "private"},
      // What a translator would send to.
      {"::127.0.0.1", "loopback"},
      {"::10.0.0.1", "reserved"},
      {"64:ff9b::8.8.8.8", "global"},
      {"64:ff9b::10.0.0.1", "private"},
      {"64:ff9b::169.254.169.254", "link-local"},
      {"64:ff9b::127.0.0.1", "loopback"},
      {"64:ff9b:1::8.8.8.8", "private"},
      {"64:ff9b:1::127.0.0.1", "loopback"},
      {"2002:808:808::1", "global"},
      {"2002:7f00:1::1", "loopback"},
      {"2002:a9fe:a9fe::1", "link-local"},
      {"2002:c0a8:101::1", "private"},
      {"2001:0:808:808::f7f7:f7f7", "reserved"},
      {"2001:0:7f00:1::f7f7:f7f7", "loopback"},
      {"2001:0:808:808::80ff:fffe", "loopback"},
      {"::ffff:0:127.0.0.1", "loopback"},
  };
  for (const auto& [text, name] : expected) CHECK_MESSAGE(class_name(text) == name, text);
}

TEST_CASE("the words for classes") {
  for (const std::string_view word :
       {"private", "link-local", "loopback", "multicast", "reserved", "global"})
    CHECK(to_string(parse_address_class(word).value()) == word);
  CHECK_FALSE(parse_address_class("Private"));
  CHECK_FALSE(parse_address_class(""));
  CHECK(is_metadata(v4(169, 254, 169, 254)));
  CHECK(is_metadata(parse_address("fd00:ec2::254").value()));
  CHECK_FALSE(is_metadata(v4(169, 254, 1, 1)));
}
