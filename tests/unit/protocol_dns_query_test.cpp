// Queries as real programs send them, cut anywhere, and hostile ones.
#include <doctest/doctest.h>

#include <string>

#include "protocol/dns_message.hpp"
#include "protocol_samples.hpp"

namespace {

using namespace sbx::protocol;
using namespace std::string_literals;

DnsParsed parse(std::string_view bytes) {
  return parse_query({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}
std::optional<DnsCode> code_of(std::string_view bytes) {
  const DnsParsed parsed = parse(bytes);
  REQUIRE_FALSE(parsed.query);
  return parsed.rejected.code;
}

const std::string kHead = "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00"s;
const std::string kName = "\7example\3org\0"s;
const std::string kTypeA = "\0\1\0\1"s;
const std::string kPlain = kHead + kName + kTypeA;

/// kHead with another number at `at`.
std::string head(std::size_t at, unsigned value) {
  std::string out = kHead;
  out[at] = static_cast<char>(value >> 8U);
  out[at + 1] = static_cast<char>(value);
  return out;
}
std::string with_additional(unsigned count, const std::string& records) {
  return head(10, count) + kName + kTypeA + records;
}
std::string opt(unsigned size, unsigned version = 0) {
  return "\0\0\x29"s + static_cast<char>(size >> 8U) + static_cast<char>(size) + "\0"s +
         static_cast<char>(version) + "\0\0\0\0"s;
}
/// Of a message that has to be fine.
DnsQuery query_of(std::string_view bytes) {
  const DnsParsed parsed = parse(bytes);
  CHECK(parsed.query);
  return parsed.query.value_or(DnsQuery{});
}
DnsQuery of_name(const std::string& wire) { return query_of(kHead + wire + kTypeA); }

TEST_CASE("what c-ares and Go ask, cut at every byte") {
  struct Sample {
    std::string_view hex;
    bool edns;
    unsigned size;
  };
  // Node 20 with c-ares; Go 1.26, with EDNS of 1232 bytes; the same with a cookie (RFC 7873).
  const std::vector<Sample> samples{
      {"103d01000001000000000000087061636b61676573076578616d706c65036f72670000010001", false, 512},
      {"a70201000001000000000001087061636b61676573076578616d706c65036f72670000010001"
       "00002904d0000000000000",
       true, 1232},
      {"a70201200001000000000001087061636b61676573076578616d706c65036f72670000010001"
       "000029100000000000000c000a0008b8a3e4b5d0c1f2e3",
       true, 4096},
  };
  for (const Sample& sample : samples) {
    const std::vector<std::uint8_t> bytes = samples::of_hex(sample.hex);
    const std::span<const std::uint8_t> all(bytes);
    for (std::size_t size = 0; size < all.size(); ++size) {
      const DnsParsed part = parse_query(all.first(size));
      REQUIRE_FALSE(part.query);
      CHECK(part.rejected.code == (size < 4 ? std::nullopt : std::optional(DnsCode::format_error)));
    }
    const DnsQuery query = parse_query(all).query.value_or(DnsQuery{});
    CHECK(query.id == (bytes[0] << 8 | bytes[1]));
    CHECK(query.recursion_desired);
    CHECK(query.name == "packages.example.org");
    CHECK(query.type == 1);
    CHECK(query.edns == sample.edns);
    CHECK(query.udp_size == sample.size);
  }
}

TEST_CASE("names keep the asker's case beside the one that is compared") {
  const std::string wire = "\7eXaMPLe\3ORG\0"s;
  const DnsQuery query = of_name(wire);
  CHECK(query.name == "example.org");
  CHECK(query.asked == wire + kTypeA);
  CHECK(of_name("\0"s).name.empty());
  CHECK(of_name("\4_dns\6resolv\4arpa\0"s).name == "_dns.resolv.arpa");
  CHECK(of_name("\x10xn--bcher-kva-12\2ch\0"s).name == "xn--bcher-kva-12.ch");
}

TEST_CASE("a name with a strange byte is printable and below nothing") {
  CHECK(of_name("\4a\0bc\7example\3org\0"s).name == "(a\\000bc.example.org)");
  CHECK(of_name("\xb"
                "a.example.b\3org\0"s)
            .name == "(a\\046example\\046b.org)");
  CHECK(of_name("\1*\7example\3org\0"s).name == "(\\042.example.org)");
  CHECK(of_name("\2\xc3\xbc\3org\0"s).name == "(\\195\\188.org)");
  CHECK(of_name("\3)\\(\0"s).name == "(\\041\\092\\040)");
  for (int byte = 0; byte < 256; ++byte) {
    const std::string name = of_name("\1"s + static_cast<char>(byte) + "\7example\0"s).name;
    CHECK(name.ends_with(".example") == (name.size() == 9));
    for (const char printed : name) CHECK((printed > ' ' && printed < 0x7f));
  }
}

TEST_CASE("lengths of names") {
  const std::string label = "\x3f"s + std::string(63, 'a');
  const auto last = [&](std::size_t size) {
    return label + label + label + static_cast<char>(size) + std::string(size, 'b') + "\0"s;
  };
  CHECK(of_name(last(61)).name.size() == 253);  // 255 bytes
  CHECK(code_of(kHead + last(62) + kTypeA) == DnsCode::format_error);
  CHECK(code_of(kHead + "\x40"s + std::string(64, 'a') + "\0"s + kTypeA) == DnsCode::format_error);
  CHECK(code_of(kHead + "\x80\1a\0"s + kTypeA) == DnsCode::format_error);
  // Pointers: to the name itself, to the head, past the end.
  for (const auto* to : {"\xc0\x0c", "\1a\xc0\x0c", "\xc0\x02", "\xff\xff"})
    CHECK(code_of(std::string(kHead).append(to).append(kTypeA)) == DnsCode::format_error);
}

TEST_CASE("what is not one question of the internet") {
  CHECK(parse(kPlain).query);
  CHECK(code_of(head(2, 0x8180) + kName + kTypeA) == std::nullopt);  // a response
  CHECK(code_of(""s) == std::nullopt);
  CHECK(code_of("\x12\x34\x81"s) == std::nullopt);
  for (unsigned opcode = 1; opcode < 16; ++opcode)
    CHECK(code_of(head(2, opcode << 11U).append(kName).append(kTypeA)) == DnsCode::not_implemented);
  CHECK(code_of(head(4, 0) + kName + kTypeA) == DnsCode::format_error);
  CHECK(code_of(head(4, 2) + kName + kTypeA + kName + kTypeA) == DnsCode::format_error);
  CHECK(code_of(head(6, 1) + kName + kTypeA) == DnsCode::format_error);
  CHECK(code_of(head(8, 1) + kName + kTypeA) == DnsCode::format_error);
  CHECK(code_of(kPlain + "\0"s) == DnsCode::format_error);
  for (const std::string& other : {"\0\1\0\3"s, "\0\x10\0\xff"s, "\0\1\0\0"s})
    CHECK(code_of(std::string(kHead).append(kName).append(other)) == DnsCode::refused);
  const DnsParsed parsed = parse(kPlain + "x");
  CHECK(parsed.rejected.id == 0x1234);
  CHECK(parsed.rejected.recursion_desired);
}

TEST_CASE("additional records") {
  const auto size_of = [](const std::string& message) {
    const DnsParsed parsed = parse(message);
    return parsed.query ? parsed.query->udp_size : 0;
  };
  CHECK(size_of(with_additional(1, opt(4096))) == 4096);
  CHECK(size_of(with_additional(1, opt(0))) == 512);
  CHECK(size_of(with_additional(1, opt(65535))) == 65535);
  const std::string txt = "\xc0\x0c\0\x10\0\1\0\0\0\0\0\3\2ab"s;
  CHECK(size_of(with_additional(2, txt + opt(1400))) == 1400);
  CHECK_FALSE(query_of(with_additional(1, txt)).edns);
  CHECK(size_of(with_additional(2, opt(1400) + opt(1400))) == 0);
  CHECK(size_of(with_additional(1, opt(1400, 1))) == 0);
  CHECK(size_of(with_additional(1, "\1a"s + opt(1400))) == 0);
  CHECK(size_of(with_additional(2, opt(1400))) == 0);
  CHECK(size_of(with_additional(0, opt(1400))) == 0);
  CHECK(size_of(with_additional(0xffff, opt(1400))) == 0);
  CHECK(size_of(with_additional(1, opt(1400).substr(0, 9) + "\xff\xff"s)) == 0);
}

TEST_CASE("any byte changed") {
  const std::string message = with_additional(1, opt(1400));
  for (std::size_t at = 0; at < message.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = message;
      changed[at] = static_cast<char>(byte);
      const DnsParsed parsed = parse(changed);
      if (parsed.query) CHECK(changed.find(parsed.query->asked) == kHead.size());
    }
  }
}

}  // namespace
