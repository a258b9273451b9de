// The reading half of dns_message.hpp: strict where a resolver has a choice, since our askers are
// stub resolvers, which send one question and at most an OPT record.
#include <algorithm>

#include "protocol/dns_message.hpp"
#include "protocol/dns_name.hpp"
#include "protocol/reader.hpp"

namespace sbx::protocol {

namespace {

// RFC 1035 4.1.1, 3.2.4; RFC 6891 6.1.2.
constexpr std::uint16_t kIsResponse = 0x8000;
constexpr std::uint16_t kOpcode = 0x7800;
constexpr std::uint16_t kRecursionDesired = 0x0100;
constexpr std::uint16_t kInternet = 1;
constexpr std::uint16_t kOpt = 41;
constexpr std::uint32_t kOptVersion = 0x00ff0000;

/// False: the message is to be refused as malformed.
bool read_additional(Reader& reader, DnsQuery& query) {
  const bool root = reader.left() > 0 && Reader(reader).u8() == 0;
  if (!skip_name(reader)) return false;
  const std::uint16_t type = reader.u16();
  const std::uint16_t udp_size = reader.u16();
  const std::uint32_t ttl = reader.number(4);
  reader.vector(2);
  if (reader.failed()) return false;
  if (type != kOpt) return true;
  // One OPT, of the root (RFC 6891 6.1.1). Of a version that is not ours we know nothing, as a
  // server from before EDNS; the asker then tries again without.
  if (query.edns || !root || (ttl & kOptVersion) != 0) return false;
  query.edns = true;
  query.udp_size = std::max(query.udp_size, udp_size);
  return true;
}

/// What is wrong, or nullopt and `query` is complete.
std::optional<DnsCode> read_body(Reader& reader, DnsQuery& query) {
  const std::uint16_t questions = reader.u16();
  const std::uint16_t answers = reader.u16();
  const std::uint16_t authorities = reader.u16();
  const std::uint16_t additional = reader.u16();
  if (questions != 1 || answers != 0 || authorities != 0) return DnsCode::format_error;

  Reader again(reader);
  std::optional<std::string> name = read_name(reader);
  query.type = reader.u16();
  const std::uint16_t question_class = reader.u16();
  if (!name || reader.failed()) return DnsCode::format_error;
  query.name = std::move(*name);
  const Bytes asked = again.take(again.left() - reader.left());
  query.asked.assign(asked.begin(), asked.end());

  for (std::uint16_t i = 0; i < additional; ++i)
    if (!read_additional(reader, query)) return DnsCode::format_error;
  if (!reader.at_end()) return DnsCode::format_error;
  if (question_class != kInternet) return DnsCode::refused;
  return std::nullopt;
}

}  // namespace

DnsParsed parse_query(std::span<const std::uint8_t> message) {
  Reader reader(message);
  DnsQuery query;
  query.id = reader.u16();
  const std::uint16_t flags = reader.u16();
  // A response is never answered: two that answer each other never stop.
  if (reader.failed() || (flags & kIsResponse) != 0) return {};
  query.recursion_desired = (flags & kRecursionDesired) != 0;
  const std::optional<DnsCode> wrong =
      (flags & kOpcode) != 0 ? DnsCode::not_implemented : read_body(reader, query);
  if (!wrong) return {.query = std::move(query)};
  return {
      .rejected = {.code = wrong, .id = query.id, .recursion_desired = query.recursion_desired}};
}

}  // namespace sbx::protocol
