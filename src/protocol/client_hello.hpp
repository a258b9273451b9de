// The server name of a TLS ClientHello (RFC 8446 4.1.2, RFC 6066 3). Pure; every byte is hostile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "protocol/looks.hpp"

namespace sbx::protocol {

/// As TLS clients with big keys send; with the heads of its records.
inline constexpr std::size_t kMostClientHello = std::size_t{64} * 1024;
inline constexpr std::size_t kMostHelloRecords = 128;  ///< of 512 bytes each, OpenSSL's smallest

struct ServerName {
  enum class State {
    incomplete,  ///< more bytes are needed
    found,       ///< `name`: lower case, no final dot
    absent,      ///< a ClientHello without one
    not_tls,     ///< something else, or one that no client sends
  };
  State state = State::incomplete;
  std::string name{};
  std::size_t size = 0;  ///< of found and absent: the hello's own bytes, heads of records included
  /// With an encrypted_client_hello (RFC 9849), which may hide another name that the server follows
  /// instead. Some browsers send an empty imitation of it to everybody.
  bool encrypted = false;
};

/// Of the client's first bytes: a record of TLS? Not a handshake alone: some servers pass over an
/// alert before it.
Looks looks_like_tls(std::span<const std::uint8_t> start);

/// `start`: all that the client has sent so far. Several records and any cut are fine; after a
/// verdict more bytes change nothing. Two names, or one that is no host's name, are not_tls. Until
/// the hello is complete a call looks at the heads of its records alone and allocates nothing, so
/// that calling it for every byte costs as much as there are bytes, times kMostHelloRecords at
/// most.
ServerName read_server_name(std::span<const std::uint8_t> start);

}  // namespace sbx::protocol
