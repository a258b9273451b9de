#include "egress/proxy.hpp"

#include "base/base64.hpp"
#include "base/text.hpp"

namespace sbx::egress {
namespace {

constexpr std::string_view kEnd = "\r\n\r\n";
constexpr std::size_t kStatusAt = 9;  // behind "HTTP/1.1 "

}  // namespace

std::string proxy_request(const network::Proxy& proxy, std::string_view host, std::uint16_t port) {
  std::string target(host);
  if (target.contains(':')) target = '[' + target + ']';
  target += ':' + std::to_string(port);
  std::string text = "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n";
  if (!proxy.credentials.empty())
    text += "Proxy-Authorization: Basic " + to_base64(proxy.credentials) + "\r\n";
  return text + "\r\n";
}

std::optional<ProxyAnswer> read_proxy_answer(std::string_view start) {
  const std::size_t end = start.find(kEnd);
  if (end == std::string_view::npos) {
    if (start.size() < kMostProxyAnswer) return std::nullopt;
    return ProxyAnswer{.problem = "the proxy answers at too great a length"};
  }
  ProxyAnswer answer{.size = end + kEnd.size()};
  const std::string_view line = start.substr(0, start.find("\r\n"));
  if (!line.starts_with("HTTP/1.") || line.size() < kStatusAt + 3)
    answer.problem = "the proxy does not answer in HTTP";
  else if (line[kStatusAt] != '2')
    answer.problem = "the proxy answers " + printable(line.substr(kStatusAt), 80);
  return answer;
}

}  // namespace sbx::egress
