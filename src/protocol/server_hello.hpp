// Whether a TLS server asks its client for another ClientHello (RFC 8446 4.1.4): that one names the
// server again, and servers follow it. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sbx::protocol {

/// So much of a server's first bytes tells; whatever it answers to a hello is longer.
inline constexpr std::size_t kServerHelloStart = 50;

enum class Again {
  no,
  yes,
  unclear,  ///< cut into pieces as no server does
};

/// `start`: the server's first bytes; fewer than kServerHelloStart when it has closed.
Again asks_for_another_hello(std::span<const std::uint8_t> start);

}  // namespace sbx::protocol
