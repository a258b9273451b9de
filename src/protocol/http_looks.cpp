// Whether a connection begins as HTTP/1 does: with a registered method and a space.
#include <algorithm>
#include <array>

#include "base/ascii.hpp"
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
constexpr std::size_t kLongestMethod = 18;  // and one more, so that none is the beginning of a word

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

void FirstLine::begin_word() {
  between_ = false;
  ++words_;
  word_ = Word::name;
  at_ = 0;
}

void FirstLine::read(char byte) {
  constexpr std::string_view kName = "http/";
  const bool digit = is_digit(byte);
  switch (word_) {
    case Word::name:
      if ((byte | 0x20) != kName[at_]) word_ = Word::other;  // small letters are taken as well
      if (word_ == Word::name && ++at_ == kName.size()) word_ = Word::major;
      break;
    case Word::major:
      word_ = digit ? Word::dot : Word::other;
      break;
    case Word::dot:
      if (!digit) word_ = byte == '.' ? Word::minor : Word::other;
      break;
    case Word::minor:
    case Word::more:
      word_ = digit ? Word::more : Word::other;
      break;
    case Word::other:
      break;
  }
}

/// Of HTTP/0.9 a request has no version, and is one only with a method that is known. What begins
/// with it and a space was judged as HTTP; some take other white space, before or behind it.
bool FirstLine::is_request() const {
  if (word_ == Word::more) return words_ > 1;
  return words_ > 1 && std::ranges::find(kMethods, first_ + " ") != kMethods.end();
}

FirstLine::Is FirstLine::take(char byte) {
  constexpr std::size_t kLongest = std::size_t{16} << 20U;  // more than servers take by default
  // What any of them takes for white space, or for a byte like others: all of these (str.split() of
  // Python, for one, goes by Latin-1).
  const auto code = static_cast<unsigned char>(byte);
  const bool space = code <= ' ' || code == 0x7f || code == 0x85 || code == 0xa0;
  if (byte == '\n' && words_ > 0) return is_request() ? Is::request : Is::other;
  if (byte == '\0' || ++seen_ == kLongest) return Is::other;
  if (space) {
    between_ = true;
    return Is::open;
  }
  if (between_) begin_word();
  if (words_ == 1 && first_.size() < kLongestMethod) first_ += byte;
  read(byte);
  return Is::open;
}

}  // namespace sbx::protocol
