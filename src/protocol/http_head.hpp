// What one HTTP/1 request says before its body (RFC 9112 2 to 7), and what is wrong with it. Pure.
// An error is a part of a sentence with the connection as its subject: "has two Host fields".
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace sbx::protocol {

/// The one host that may be asked for.
struct HttpHost {
  std::string name;  ///< as of host_name()
  std::uint16_t port = 0;
};

enum class HttpVersion { v1_0, v1_1 };

/// `line` without its end. An error: it is no request, or one for another host.
std::expected<HttpVersion, std::string> read_request_line(std::string_view line,
                                                          const HttpHost& host);

struct HttpHead {
  std::uint64_t length = 0;  ///< of the body that follows, unless `chunked`
  bool chunked = false;
  bool websocket = false;      ///< asks to leave HTTP, for a WebSocket; has no body
  bool other_upgrade = false;  ///< asks for another protocol
};
/// `head`: from the request line to the empty line, its lines ended by CRLF, without control bytes.
std::expected<HttpHead, std::string> read_head(std::string_view head, const HttpHost& host);

/// Behind a chunked body, in the same form without a request line: nothing that could be taken for
/// a field of a header that decides. The error, or nullopt.
std::optional<std::string> wrong_in_trailers(std::string_view trailers);

/// The size in a chunk's first line, without its end; extensions are plain words at most.
std::optional<std::uint64_t> read_chunk_size(std::string_view line);

}  // namespace sbx::protocol
