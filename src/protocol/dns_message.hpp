// Queries of the payload and our answers (RFC 1035, 6891, 9460). Pure; every byte of a query is
// hostile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "network/address.hpp"

namespace sbx::protocol {

enum class DnsType : std::uint16_t {
  a = 1,
  ns = 2,
  cname = 5,
  soa = 6,
  ptr = 12,
  mx = 15,
  txt = 16,
  aaaa = 28,
  srv = 33,
  svcb = 64,
  https = 65,
  any = 255,
};
enum class DnsCode : std::uint8_t {
  no_error = 0,
  format_error = 1,
  server_failure = 2,
  no_such_name = 3,
  not_implemented = 4,
  refused = 5,
};

struct DnsQuery {
  std::uint16_t id = 0;
  bool recursion_desired = false;
  std::string name{};      ///< lower case, no final dot; "" is the root
  std::string asked{};     ///< the question's bytes, case as asked (0x20), for the answer
  std::uint16_t type = 0;  ///< a DnsType, or any other
  bool edns = false;
  std::uint16_t udp_size = 512;  ///< what the asker can receive, at least 512
};

/// Why a datagram is not answered as asked: with `code`, or (nullopt) not at all.
struct DnsRejected {
  std::optional<DnsCode> code{};
  std::uint16_t id = 0;
  bool recursion_desired = false;
};

struct DnsParsed {
  std::optional<DnsQuery> query{};  ///< of class IN, opcode QUERY, one question
  DnsRejected rejected{};           ///< when there is none
};
DnsParsed parse_query(std::span<const std::uint8_t> message);

struct DnsAnswer {
  DnsCode code = DnsCode::no_error;
  std::optional<network::Address> address{};  ///< an A or AAAA record
  std::string pointer{};                      ///< a PTR record's name; empty: none
  std::uint32_t ttl = 0;                      ///< seconds
};
/// A whole message. Without a record and with no_error: the name exists, the type does not
/// (NODATA).
std::string write_answer(const DnsQuery& query, const DnsAnswer& answer);
/// To what could not be read.
std::string write_rejection(const DnsRejected& rejected);

/// The address that "4.3.2.1.in-addr.arpa" or "….ip6.arpa" asks for.
std::optional<network::Address> reverse_name(std::string_view name);

}  // namespace sbx::protocol
