// The caller's HTTP proxy (RFC 9110 9.3.6, CONNECT): what is asked of it, and what it says. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "network/proxy.hpp"

namespace sbx::egress {

inline constexpr std::size_t kMostProxyAnswer = 8192;

/// The whole request.
std::string proxy_request(const network::Proxy& proxy, std::string_view host, std::uint16_t port);

struct ProxyAnswer {
  std::size_t size = 0;   ///< of its header; what follows is the host's
  std::string problem{};  ///< empty: the way is open
};
/// nullopt: there is more to come.
std::optional<ProxyAnswer> read_proxy_answer(std::string_view start);

}  // namespace sbx::egress
