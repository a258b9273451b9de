// The writing half of dns_message.hpp. With one record at most an answer fits into the 512 bytes of
// a datagram without EDNS (RFC 1035 4.2.1): 259 of question with an address, or the name of a
// reverse lookup with a pointer of 255. So none is ever truncated.
#include "protocol/dns_message.hpp"
#include "protocol/dns_name.hpp"

namespace sbx::protocol {

namespace {

// RFC 1035 4.1.1, 4.1.4; RFC 6891 6.1.2.
constexpr unsigned kIsResponse = 0x8000;
constexpr unsigned kRecursionDesired = 0x0100;
constexpr unsigned kRecursionAvailable = 0x0080;
constexpr unsigned kToQuestion = 0xc00c;  // a pointer to the name behind the head
constexpr unsigned kInternet = 1;
constexpr unsigned kOpt = 41;
constexpr unsigned kOurUdpSize = 1232;  // what fits everywhere: DNS Flag Day 2020
constexpr std::size_t kV4 = 4;

void append_u16(std::string& out, unsigned value) {
  constexpr unsigned kByte = 8;
  out += static_cast<char>(value >> kByte & 0xffU);
  out += static_cast<char>(value & 0xffU);
}

void append_u32(std::string& out, std::uint32_t value) {
  constexpr unsigned kHalf = 16;
  append_u16(out, value >> kHalf);
  append_u16(out, value & 0xffffU);
}

/// Not authoritative: what the names inside mean is decided elsewhere, as by any forwarder.
std::string head(std::uint16_t id, bool recursion_desired, DnsCode code, unsigned questions,
                 unsigned answers, unsigned additional) {
  std::string out;
  append_u16(out, id);
  append_u16(out, kIsResponse | (recursion_desired ? kRecursionDesired : 0U) | kRecursionAvailable |
                      static_cast<unsigned>(code));
  append_u16(out, questions);
  append_u16(out, answers);
  append_u16(out, 0);
  append_u16(out, additional);
  return out;
}

void append_record(std::string& out, DnsType type, std::uint32_t ttl, std::string_view data) {
  append_u16(out, kToQuestion);
  append_u16(out, static_cast<unsigned>(type));
  append_u16(out, kInternet);
  append_u32(out, ttl);
  append_u16(out, static_cast<unsigned>(data.size()));
  out += data;
}

void append_opt(std::string& out) {
  out += '\0';
  append_u16(out, kOpt);
  append_u16(out, kOurUdpSize);
  append_u32(out, 0);
  append_u16(out, 0);
}

}  // namespace

std::string write_answer(const DnsQuery& query, const DnsAnswer& answer) {
  std::string pointer;
  // Only a name of ours is ever pointed to; what is none is our mistake, and no malformed message.
  const bool writable = answer.pointer.empty() || write_name(pointer, answer.pointer);
  const DnsCode code = writable ? answer.code : DnsCode::server_failure;
  const unsigned answers = writable && (answer.address || !pointer.empty()) ? 1 : 0;
  std::string out = head(query.id, query.recursion_desired, code, 1, answers, query.edns ? 1U : 0U);
  out += query.asked;
  if (answers != 0 && answer.address) {
    const auto& bytes = answer.address->bytes;
    const bool v4 = answer.address->is_v4();
    const std::string data(v4 ? bytes.end() - kV4 : bytes.begin(), bytes.end());
    append_record(out, v4 ? DnsType::a : DnsType::aaaa, answer.ttl, data);
  } else if (answers != 0) {
    append_record(out, DnsType::ptr, answer.ttl, pointer);
  }
  if (query.edns) append_opt(out);
  return out;
}

std::string write_rejection(const DnsRejected& rejected) {
  if (!rejected.code) return {};
  return head(rejected.id, rejected.recursion_desired, *rejected.code, 0, 0, 0);
}

}  // namespace sbx::protocol
