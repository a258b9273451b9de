// The server name of a TLS ClientHello (RFC 8446 4.1.2, RFC 6066 3). Pure; every byte is hostile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sbx::protocol {

inline constexpr std::size_t kMostClientHello = 64 * 1024;  ///< as TLS clients with big keys send

struct ServerName {
  enum class State {
    incomplete,  ///< more bytes are needed
    found,       ///< `name`: lower case, no final dot
    absent,      ///< a ClientHello without one
    not_tls,     ///< something else, or one that no client sends
  };
  State state = State::incomplete;
  std::string name{};
};

/// `start`: all that the client has sent so far. Several records and any cut are fine. Two names,
/// or a name with a NUL in it, are not_tls.
ServerName read_server_name(std::span<const std::uint8_t> start);

}  // namespace sbx::protocol
