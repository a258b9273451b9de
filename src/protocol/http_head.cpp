#include "protocol/http_head.hpp"

#include <algorithm>
#include <vector>

#include "base/ascii.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "protocol/host_name.hpp"
#include "protocol/http_fields.hpp"

namespace sbx::protocol {

namespace {

using Problem = std::optional<std::string>;
using Fields = std::vector<HttpField>;

constexpr std::size_t kShown = 100;  // of foreign bytes in a message
constexpr std::string_view kLineEnd = "\r\n";
constexpr std::size_t kMostMethod = 32;
constexpr std::size_t kMostLengthDigits = 18;  // below 2^60
constexpr std::size_t kMostChunkDigits = 15;   // below 2^60

/// Of NAME[:PORT]. No address either: an allowed one is not asked for by name.
Problem wrong_authority(std::string_view authority, const HttpHost& host) {
  if (authority.empty()) return "names no host";
  const std::size_t colon = authority.find(':');
  const std::optional<std::string> name = host_name(authority.substr(0, colon));
  bool fine = name && *name == host.name && !is_numeric(*name);
  if (colon != std::string_view::npos)
    fine = fine && authority.substr(colon + 1) == std::to_string(host.port);
  if (fine) return std::nullopt;
  return "asks for " + printable(authority, kShown);
}

Problem wrong_target(std::string_view method, std::string_view target, const HttpHost& host) {
  constexpr std::string_view kScheme = "http://";
  // '#' never leaves a client, and ends a host's name in some readers of URLs.
  if (!std::ranges::all_of(target,
                           [](char byte) { return byte > ' ' && byte < 0x7f && byte != '#'; }))
    return "asks for a target that is no URL's: " + printable(target, kShown);
  if (target.starts_with('/') || (target == "*" && method == "OPTIONS")) return std::nullopt;
  if (to_lower(target.substr(0, kScheme.size())) == kScheme) {
    const std::string_view rest = target.substr(kScheme.size());
    return wrong_authority(rest.substr(0, rest.find_first_of("/?")), host);
  }
  return "asks for a target that is no path: " + printable(target, kShown);
}

/// The value of a field that may stand once.
std::expected<std::optional<std::string_view>, std::string> only(const Fields& fields,
                                                                 std::string_view name) {
  std::optional<std::string_view> found;
  for (const HttpField& field : fields) {
    if (field.decides != name) continue;
    if (found) return std::unexpected("has two " + std::string(name) + " fields");
    found = field.value;
  }
  return found;
}

Problem wrong_host(const Fields& fields, const HttpHost& host) {
  const auto value = only(fields, "Host");
  if (!value) return value.error();
  if (!*value) return "has no Host field";
  return wrong_authority(**value, host);
}

/// A field that Connection names is dropped by the next reader (RFC 9110 7.6.1).
Problem wrong_connection(const Fields& fields) {
  for (const HttpField& field : fields) {
    if (field.decides != "Connection") continue;
    for (const std::string_view option : split(field.value, ',')) {
      const std::string_view decides = deciding_field(without_space(option));
      if (!decides.empty() && decides != "Upgrade" && decides != "Connection")
        return "has a Connection field that drops " + std::string(decides);
    }
  }
  return std::nullopt;
}

/// Where the body ends: by one of two fields, in one way of writing (RFC 9112 6.3).
Problem read_framing(const Fields& fields, HttpVersion version, HttpHead& head) {
  const auto length = only(fields, "Content-Length");
  if (!length) return length.error();
  const auto encoding = only(fields, "Transfer-Encoding");
  if (!encoding) return encoding.error();
  if (*length && *encoding) return "has both Content-Length and Transfer-Encoding";
  if (*length) {
    const auto number = parse_number<std::uint64_t>(**length);
    if (!number || (*length)->size() > kMostLengthDigits)
      return "has a Content-Length that is no length: " + printable(**length, kShown);
    head.length = *number;
  }
  if (*encoding) {
    if (to_lower(**encoding) != "chunked")
      return "has a Transfer-Encoding that is not chunked: " + printable(**encoding, kShown);
    if (version == HttpVersion::v1_0) return "has a chunked body in HTTP/1.0";
    head.chunked = true;
  }
  return std::nullopt;
}

/// Only a WebSocket is let out of HTTP: what HTTP/2 or TLS would ask for behind a 101 is not read.
/// Clients of Java ask for HTTP/2 in every request and go on without; one that does not is refused
/// by its next bytes.
Problem read_upgrade(const Fields& fields, HttpHead& head) {
  const auto value = only(fields, "Upgrade");
  if (!value) return value.error();
  if (!*value) return std::nullopt;
  const std::string protocols = to_lower(**value);
  if (protocols == "websocket") {
    head.websocket = true;
    if (head.length != 0 || head.chunked) return "asks for a WebSocket with a body";
  } else if (protocols.find("websocket") != std::string::npos) {
    return "asks for a choice of protocols: " + printable(**value, kShown);
  } else {
    head.other_upgrade = true;
    // A server that goes over at once reads the body as that protocol: a TLS hello (RFC 2817), say.
    if (protocols != "h2c" && (head.length != 0 || head.chunked))
      return "asks for another protocol with a body: " + printable(**value, kShown);
  }
  return std::nullopt;
}

}  // namespace

std::expected<HttpVersion, std::string> read_request_line(std::string_view line,
                                                          const HttpHost& host) {
  const std::vector<std::string_view> words = split(line, ' ');
  const std::string_view method = words[0];
  if (line.empty()) return std::unexpected("sends an empty line where a request belongs");
  if (method.size() > kMostMethod || !is_token(method))
    return std::unexpected("sends something else than HTTP/1: " + printable(line, kShown));
  // A method's letters count (RFC 9110, 9.1), but not to every server.
  if (to_lower(method) == "pri") return std::unexpected("speaks HTTP/2 without TLS");
  if (to_lower(method) == "connect")
    return std::unexpected("asks for a tunnel: " + printable(line, kShown));
  if (words.size() == 2) return std::unexpected("asks as HTTP/0.9 did");
  if (words.size() != 3 || (words[2] != "HTTP/1.1" && words[2] != "HTTP/1.0"))
    return std::unexpected("has a request line that is not HTTP/1's: " + printable(line, kShown));
  if (Problem wrong = wrong_target(method, words[1], host)) return std::unexpected(*wrong);
  return words[2] == "HTTP/1.0" ? HttpVersion::v1_0 : HttpVersion::v1_1;
}

std::expected<HttpHead, std::string> read_head(std::string_view head, const HttpHost& host) {
  const std::size_t line = head.find(kLineEnd);
  const auto version = read_request_line(head.substr(0, line), host);
  if (!version) return std::unexpected(version.error());
  const auto fields = read_fields(head.substr(line + kLineEnd.size()));
  if (!fields) return std::unexpected(fields.error());
  HttpHead result;
  Problem wrong = wrong_host(*fields, host);
  if (!wrong) wrong = wrong_connection(*fields);
  if (!wrong) wrong = read_framing(*fields, *version, result);
  if (!wrong) wrong = read_upgrade(*fields, result);
  if (wrong) return std::unexpected(*wrong);
  return result;
}

std::optional<std::string> wrong_in_trailers(std::string_view trailers) {
  const auto fields = read_fields(trailers);
  if (!fields) return fields.error();
  for (const HttpField& field : *fields)
    if (!field.decides.empty())
      return "has a field " + std::string(field.decides) + " behind a body";
  return std::nullopt;
}

std::optional<std::uint64_t> read_chunk_size(std::string_view line) {
  constexpr int kBase = 16;
  const std::size_t end = line.find(';');
  const std::string_view digits = line.substr(0, end);
  const auto plain = [](char byte) {
    return byte == ';' || byte == '=' || is_token(std::string_view(&byte, 1));
  };
  if (digits.size() > kMostChunkDigits) return std::nullopt;
  if (end != std::string_view::npos && !std::ranges::all_of(line.substr(end), plain))
    return std::nullopt;
  return parse_number<std::uint64_t>(digits, kBase);
}

}  // namespace sbx::protocol
