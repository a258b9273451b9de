#include "egress/guard.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/text.hpp"
#include "protocol/client_hello.hpp"
#include "protocol/server_hello.hpp"

namespace sbx::egress {
namespace {

constexpr std::uint16_t kHttps = 443;
constexpr std::uint16_t kHttp = 80;
constexpr std::size_t kMostHeld = std::size_t{20} * 1024;  // of thousands of connections at once

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

Guard::Guard(std::string name, std::uint16_t port)
    : name_(std::move(name)),
      port_(port),
      kind_(port == kHttps  ? Kind::tls
            : port == kHttp ? Kind::http
                            : Kind::unknown) {
  if (kind_ == Kind::http) http_.emplace(name_, port_);
}

bool Guard::waits() const {
  if (kind_ == Kind::tls_answer) return true;
  return kind_ == Kind::http && http_->state() == protocol::HttpWatch::State::upgrade;
}

std::size_t Guard::wanted() const {
  constexpr std::size_t kStatus = 12;  // "HTTP/1.1 101"
  return kind_ == Kind::tls_answer ? protocol::kServerHelloStart : kStatus;
}

void Guard::feed(std::string_view data, std::string& out) {
  if (refused_) return;
  held_ += data;
  judge(out);
  if (held_.size() > kMostHeld) refuse("does not come to the point within 20 KiB");
}

void Guard::ended(std::string& out) {
  if (kind_ == Kind::unknown) return pass_all(out);
  if (!held_.empty()) refuse("ends before it has come to the point");
}

void Guard::answered(std::string_view start, std::string& out) {
  if (!waits()) return;
  if (kind_ == Kind::tls_answer) {
    switch (protocol::asks_for_another_hello(bytes_of(start))) {
      case protocol::Again::no:
        return pass_all(out);
      case protocol::Again::unclear:
        return refuse("the server's first words cannot be followed");
      case protocol::Again::yes:
        kind_ = Kind::tls_again;
    }
  } else {
    http_->answered(start);
  }
  judge(out);
}

bool Guard::judge_kind(std::string& out) {
  using protocol::Looks;
  // Empty lines may stand before a request (RFC 9112 2.2), and are something else by themselves.
  const std::size_t lines = std::min(held_.find_first_not_of("\r\n"), held_.size());
  out.append(held_, 0, lines);
  held_.erase(0, lines);
  const Looks tls = protocol::looks_like_tls(bytes_of(held_));
  const Looks http = protocol::looks_like_http(held_);
  if (tls == Looks::maybe || http == Looks::maybe) return false;
  kind_ = tls == Looks::yes ? Kind::tls : http == Looks::yes ? Kind::http : Kind::line;
  if (kind_ == Kind::http) http_.emplace(name_, port_);
  return true;
}

void Guard::judge(std::string& out) {
  if (kind_ == Kind::unknown && !judge_kind(out)) return;
  if (kind_ == Kind::tls) return judge_tls(out);
  if (kind_ == Kind::tls_again) return judge_second_hello(out);
  if (kind_ == Kind::tls_answer) return;
  if (kind_ == Kind::http) return judge_http(out);
  if (kind_ == Kind::line) return judge_line(out);
  pass_all(out);
}

void Guard::judge_tls(std::string& out) {
  using State = protocol::ServerName::State;
  const protocol::ServerName found = protocol::read_server_name(bytes_of(held_));
  switch (found.state) {
    case State::incomplete:
      return;
    case State::absent:
      if (port_ == kHttps) return refuse("the TLS client names no server");
      break;  // as clients of mail, directories and databases do
    case State::not_tls:
      return refuse("what it sends is not TLS");
    case State::found:
      if (found.name == name_) break;
      return refuse("the TLS client asks for " + printable(found.name, 80));
  }
  // The server may follow the name inside, and not the one that everybody can read.
  if (found.encrypted)
    return refuse("the TLS client may hide a server name (Encrypted Client Hello)");
  // Only a second hello has a name again: what has come behind the first waits for the answer.
  if (kind_ == Kind::tls_again) return pass_all(out);
  const std::size_t size = found.size;
  out.append(held_, 0, size);
  held_.erase(0, size);
  kind_ = Kind::tls_answer;
}

void Guard::judge_second_hello(std::string& out) {
  constexpr unsigned char kChangeCipherSpec = 20;
  constexpr unsigned char kHandshake = 22;
  constexpr unsigned char kApplicationData = 23;  // early data, which the server skips
  constexpr std::size_t kHead = 5;
  while (held_.size() >= kHead) {
    const auto byte = [this](std::size_t i) { return static_cast<unsigned char>(held_[i]); };
    if (byte(0) == kHandshake) return judge_tls(out);
    if (byte(0) != kChangeCipherSpec && byte(0) != kApplicationData)
      return refuse("the TLS client does not send the hello that the server has asked for");
    const std::size_t record = kHead + (std::size_t{byte(3)} << 8U | byte(4));
    if (held_.size() < record) return;
    out.append(held_, 0, record);
    held_.erase(0, record);
  }
}

void Guard::judge_http(std::string& out) {
  using State = protocol::HttpWatch::State;
  if (!http_ || http_->state() == State::upgrade) return;
  const protocol::HttpWatch::Passed passed = http_->feed(held_);
  out.append(held_, 0, passed.bytes);
  held_.erase(0, passed.bytes);
  if (http_->state() == State::refused) return refuse("the HTTP connection " + http_->problem());
  if (http_->state() == State::opaque) pass_all(out);
}

void Guard::judge_line(std::string& out) {
  for (const char byte : held_) {
    switch (line_.take(byte)) {
      case protocol::FirstLine::Is::open:
        break;
      case protocol::FirstLine::Is::request:
        return refuse("the HTTP connection begins with a method that is none of HTTP's");
      case protocol::FirstLine::Is::other:
        return pass_all(out);
    }
  }
  out += held_;
  held_.clear();
}

void Guard::pass_all(std::string& out) {
  kind_ = Kind::open;
  out += held_;
  held_ = {};
  http_.reset();
}

void Guard::refuse(std::string problem) {
  refused_ = true;
  problem_ = std::move(problem);
  held_ = {};
}

}  // namespace sbx::egress
