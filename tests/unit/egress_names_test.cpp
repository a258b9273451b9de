// Synthetic addresses: of one name always the same, of others nobody's.
#include "egress/names.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace sbx::egress {
namespace {

using network::parse_address;

TEST_CASE("a name has the same addresses for the whole run, and they are the name's") {
  Names names;
  const auto one = names.address_of("a.example").value();
  const auto other = names.address_of("b.example").value();
  CHECK(to_string(one.v4) == "198.18.0.2");
  CHECK(to_string(one.v6) == "fd5b:7862:7362::2");
  CHECK(to_string(other.v4) == "198.18.0.3");
  CHECK(names.address_of("a.example").value().v4 == one.v4);
  CHECK(names.name_of(one.v4) == "a.example");
  CHECK(names.name_of(one.v6) == "a.example");
  CHECK(names.name_of(other.v6) == "b.example");
}

TEST_CASE("what no name has is nobody's") {
  Names names;
  CHECK(names.address_of("a.example").has_value());
  for (const char* text : {"198.18.0.0", "198.18.0.1", "198.18.0.3", "198.19.255.255",
                           "fd5b:7862:7362::", "fd5b:7862:7362::1", "fd5b:7862:7362::ffff:ffff",
                           "198.20.0.2", "198.17.0.2", "10.0.0.2", "fd5b:7862:7362::1:0:2",
                           "fd5b:7862:7362:1::2", "::198.18.0.2", "::2"}) {
    CAPTURE(text);
    CHECK_FALSE(names.name_of(parse_address(text).value()).has_value());
  }
}

TEST_CASE("the synthetic ranges end where they should") {
  for (const char* text : {"198.18.0.0", "198.19.255.255", "fd5b:7862:7362::ffff:ffff"})
    CHECK(Names::is_synthetic(parse_address(text).value()));
  for (const char* text : {"198.17.255.255", "198.20.0.0", "fd5b:7862:7362::1:0:0", "::1"})
    CHECK_FALSE(Names::is_synthetic(parse_address(text).value()));
}

TEST_CASE("names are bounded, and those that are known stay") {
  Names names;
  std::set<network::Address> all;
  for (std::size_t at = 0; at < kMostNames; ++at) {
    const auto one = names.address_of(std::to_string(at) + ".example").value();
    all.insert(one.v4);
    all.insert(one.v6);
  }
  CHECK(all.size() == 2 * kMostNames);
  CHECK_FALSE(names.address_of("one.more.example").has_value());
  CHECK(names.address_of("0.example").has_value());
  CHECK(names.name_of(parse_address("198.18.32.1").value()) ==
        std::to_string(kMostNames - 1) + ".example");
}

}  // namespace
}  // namespace sbx::egress
