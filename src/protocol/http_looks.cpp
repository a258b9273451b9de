// Whether a connection begins as HTTP/1 does: with a registered method and a space.
#include <algorithm>
#include <array>

#include "protocol/host_name.hpp"
#include "protocol/http_watch.hpp"

namespace sbx::protocol {

namespace {

// https://www.iana.org/assignments/http-methods, PURGE of caches, and the preface of HTTP/2.
constexpr auto kMethods = std::to_array<std::string_view>({
    "ACL ",
    "BASELINE-CONTROL ",
    "BIND ",
    "CHECKIN ",
    "CHECKOUT ",
    "CONNECT ",
    "COPY ",
    "DELETE ",
    "GET ",
    "HEAD ",
    "LABEL ",
    "LINK ",
    "LOCK ",
    "MERGE ",
    "MKACTIVITY ",
    "MKCALENDAR ",
    "MKCOL ",
    "MKREDIRECTREF ",
    "MKWORKSPACE ",
    "MOVE ",
    "OPTIONS ",
    "ORDERPATCH ",
    "PATCH ",
    "POST ",
    "PRI ",
    "PROPFIND ",
    "PROPPATCH ",
    "PURGE ",
    "PUT ",
    "QUERY ",
    "REBIND ",
    "REPORT ",
    "SEARCH ",
    "TRACE ",
    "UNBIND ",
    "UNCHECKOUT ",
    "UNLINK ",
    "UNLOCK ",
    "UPDATE ",
    "UPDATEREDIRECTREF ",
    "VERSION-CONTROL ",
});

}  // namespace

Looks looks_like_http(std::string_view start) {
  if (start.empty()) return Looks::maybe;
  // Servers skip empty lines before a request (RFC 9112 2.2); HttpWatch does not.
  if (start[0] == '\r' || start[0] == '\n') return Looks::yes;
  const auto agrees = [&](std::string_view method) {
    const std::size_t size = std::min(method.size(), start.size());
    return method.substr(0, size) == start.substr(0, size);
  };
  const auto* found = std::ranges::find_if(kMethods, agrees);
  if (found == kMethods.end()) return Looks::no;
  return start.size() >= found->size() ? Looks::yes : Looks::maybe;
}

FirstLine::Is FirstLine::take(char byte) {
  constexpr std::size_t kLongest = std::size_t{1} << 20U;  // of what servers take: Go's
  constexpr std::string_view kVersion = " HTTP/1.1";       // or 1.0, 2.0
  constexpr std::string_view kSpace = " \t\r\v\f";
  const auto code = static_cast<unsigned char>(byte);
  if (byte == '\n') {
    if (tail_.ends_with(' ')) tail_.pop_back();
    if (tail_.size() < kVersion.size()) return Is::other;
    const std::string end = lower(std::string_view(tail_).substr(tail_.size() - kVersion.size()));
    const bool request = end.starts_with(" http/") && end[kVersion.size() - 2] == '.';
    return request ? Is::request : Is::other;
  }
  const bool space = kSpace.contains(byte);
  if ((code < ' ' && !space) || ++seen_ == kLongest) return Is::other;
  if (!space)
    tail_ += byte;
  else if (!tail_.empty() && !tail_.ends_with(' '))
    tail_ += ' ';
  if (tail_.size() > 2 * kVersion.size()) tail_.erase(0, kVersion.size() - 2);
  return Is::open;
}

}  // namespace sbx::protocol
