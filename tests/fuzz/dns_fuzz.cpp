// libFuzzer target: any bytes as a query. Its name is a host's or stands in parentheses, and all is
// printable; each of our answers is read back, by a reader of its own, as what was meant.
#include <array>
#include <string>

#include "promise.hpp"
#include "protocol/dns_message.hpp"

namespace {

using namespace sbx::protocol;
using sbx::fuzz::require;
using sbx::network::Address;

constexpr std::size_t kHead = 12;

/// Fails on what is not there.
std::uint8_t at(std::string_view text, std::size_t index) {
  require(index < text.size());
  return static_cast<std::uint8_t>(text[index]);
}
unsigned u16(std::string_view text, std::size_t index) {
  return at(text, index) << 8U | at(text, index + 1);
}

/// A name without compression from `from` on, as text; `from` ends behind it.
std::string name_at(std::string_view text, std::size_t& from) {
  std::string name;
  const std::size_t first = from;
  while (const std::uint8_t length = at(text, from++)) {
    require(length < 64);
    if (!name.empty()) name += '.';
    for (std::uint8_t i = 0; i < length; ++i) name += static_cast<char>(at(text, from++));
  }
  require(from - first <= 255);
  return name;
}

void check_name(const DnsQuery& query) {
  const bool odd = query.name.starts_with('(');
  require(query.name.ends_with(')') == odd);
  for (const char byte : query.name) {
    require(byte > ' ' && byte < 0x7f && (byte < 'A' || byte > 'Z'));
    if (!odd) require(byte != '\\' && byte != '*' && byte != '/' && byte != ':');
  }
  std::size_t from = 0;
  std::string asked = name_at(query.asked, from);
  require(query.asked.size() == from + 4);
  require(u16(query.asked, from) == query.type && u16(query.asked, from + 2) == 1);
  for (char& byte : asked) byte = byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : byte;
  if (!odd) require(asked == query.name);
  require(query.udp_size >= 512);
}

/// The record of type `type` at `from`, which ends behind it; its data.
std::string_view record_at(std::string_view text, std::size_t& from, unsigned type) {
  require(u16(text, from) == 0xc00c && u16(text, from + 2) == type && u16(text, from + 4) == 1);
  const unsigned size = u16(text, from + 10);
  from += 12;
  require(from + size <= text.size());
  from += size;
  return text.substr(from - size, size);
}

void check_answer(const DnsQuery& query, const DnsAnswer& answer) {
  const std::string text = write_answer(query, answer);
  const bool record = answer.address.has_value() || !answer.pointer.empty();
  require(u16(text, 0) == query.id);
  require((at(text, 2) & 0xfeU) == 0x80 && (at(text, 2) & 1U) == (query.recursion_desired ? 1 : 0));
  require((at(text, 3) & 0x0fU) == static_cast<unsigned>(answer.code));
  require(u16(text, 4) == 1 && u16(text, 6) == (record ? 1 : 0) && u16(text, 8) == 0);
  require(u16(text, 10) == (query.edns ? 1 : 0));
  require(text.substr(kHead, query.asked.size()) == query.asked);
  std::size_t from = kHead + query.asked.size();
  if (answer.address && answer.address->is_v4()) {
    require(record_at(text, from, 1).size() == 4);
  } else if (answer.address) {
    require(record_at(text, from, 28).size() == 16);
  } else if (record) {
    const std::string_view data = record_at(text, from, 12);
    std::size_t end = 0;
    require(name_at(data, end) == answer.pointer && end == data.size());
  }
  if (query.edns) {
    require(at(text, from) == 0 && u16(text, from + 1) == 41 && u16(text, from + 9) == 0);
    from += 11;
  }
  require(from == text.size());
  require(text.size() <= 512 || !answer.pointer.empty());
}

void check_query(const DnsQuery& query) {
  check_name(query);
  static_cast<void>(reverse_name(query.name));
  check_answer(query, {});
  check_answer(query, {.code = DnsCode::refused});
  check_answer(query, {.address = sbx::network::v4(198, 18, 1, 2), .ttl = 60});
  check_answer(query, {.address = Address{.bytes = {0xfd, 1}}, .ttl = 0xffffffff});
  check_answer(query, {.pointer = "packages.example.org", .ttl = 1});
  // Our own question, sent back to us with its answer, is none.
  const std::string echo = write_answer(query, {});
  const DnsParsed again =
      parse_query({reinterpret_cast<const std::uint8_t*>(echo.data()), echo.size()});
  require(!again.query && !again.rejected.code);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const DnsParsed parsed = parse_query({data, size});
  if (parsed.query) {
    check_query(*parsed.query);
    require(parsed.query->id == (data[0] << 8 | data[1]));
  } else {
    const std::string text = write_rejection(parsed.rejected);
    require(text.size() == (parsed.rejected.code ? kHead : 0));
    if (!text.empty()) require(u16(text, 0) == static_cast<unsigned>(data[0] << 8 | data[1]));
  }
  static_cast<void>(reverse_name({reinterpret_cast<const char*>(data), size}));
  return 0;
}
