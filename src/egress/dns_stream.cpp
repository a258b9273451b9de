// Reading stops while too much waits to be answered or written: the payload's own socket buffer
// holds the rest.
#include "egress/dns_stream.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <span>

namespace sbx::egress {
namespace {

constexpr Nanos kPatience = 10 * kSecond;
constexpr std::size_t kMostWaiting = 32;
constexpr std::size_t kMostOut = std::size_t{16} * 1024;
/// A query has one question, of 259 bytes at most; the rest is EDNS and its padding (RFC 8467:
/// 128).
constexpr std::size_t kLongestQuery = 4096;
constexpr std::size_t kLength = 2;

/// Of the query at the start of `text`, which has its length.
std::size_t length_of(const std::string& text) {
  return static_cast<std::size_t>(static_cast<unsigned char>(text[0])) << 8U |
         static_cast<unsigned char>(text[1]);
}

}  // namespace

DnsStream::DnsStream(Loop& loop, NameServer& server, os::UniqueFd socket, Ended ended)
    : loop_(loop),
      server_(server),
      socket_(std::move(socket)),
      ended_(std::move(ended)),
      patience_(loop, *this) {}

DnsStream::~DnsStream() { loop_.remove(socket_.get()); }

SysResult<void> DnsStream::start() {
  touch();
  watched_ = EPOLLIN;
  return loop_.add(socket_.get(), watched_, *this);
}

void DnsStream::ready(int fd, std::uint32_t events) {
  busy_ = true;
  if (fd < 0 || (events & (EPOLLERR | EPOLLHUP)) != 0) broken_ = true;  // fd < 0: patience is over
  if (!broken_ && (events & EPOLLIN) != 0) broken_ = !read();
  serve();
  busy_ = false;
  if (over())
    ended_(*this);
  else
    watch();
}

/// One read a round: other connections have their turn, and the loop comes back.
bool DnsStream::read() {
  std::array<char, kLongestQuery> room{};
  const auto got = ::recv(socket_.get(), room.data(), room.size(), MSG_DONTWAIT);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  if (got == 0) read_all_ = true;
  in_.append(room.data(), static_cast<std::size_t>(got));
  return in_.size() < kLength || length_of(in_) <= kLongestQuery;
}

/// What is written makes room for what has been read already.
void DnsStream::serve() {
  while (!broken_) {
    while (!full() && has_query()) take_query();
    if (!write()) broken_ = true;
    if (full() || !has_query()) return;
  }
}

bool DnsStream::has_query() const {
  return in_.size() >= kLength && in_.size() - kLength >= length_of(in_);
}

void DnsStream::take_query() {
  touch();
  ++waiting_;
  const std::string query = in_.substr(kLength, length_of(in_));
  in_.erase(0, kLength + query.size());
  server_.answer(std::span(reinterpret_cast<const std::uint8_t*>(query.data()), query.size()), true,
                 [self = std::weak_ptr(self_)](const std::string& message) {
                   if (const auto stream = self.lock()) (*stream)->take(message);
                 });
}

void DnsStream::take(const std::string& message) {
  --waiting_;
  touch();
  if (!message.empty()) {
    out_ += static_cast<char>(message.size() >> 8U);
    out_ += static_cast<char>(message.size() & 0xffU);
    out_ += message;
  }
  // Written by ready(): now, or in the next round.
  if (!busy_) watch();
}

bool DnsStream::write() {
  while (!out_.empty()) {
    const auto sent = ::send(socket_.get(), out_.data(), out_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN || errno == EINTR;
    touch();
    out_.erase(0, static_cast<std::size_t>(sent));
  }
  return true;
}

bool DnsStream::full() const { return waiting_ >= kMostWaiting || out_.size() >= kMostOut; }

bool DnsStream::over() const { return broken_ || (read_all_ && waiting_ == 0 && out_.empty()); }

void DnsStream::watch() {
  std::uint32_t events = out_.empty() ? 0U : std::uint32_t{EPOLLOUT};
  if (!read_all_ && !full()) events |= EPOLLIN;
  if (events == watched_) return;
  watched_ = events;
  broken_ = broken_ || !loop_.change(socket_.get(), events, *this).has_value();
}

void DnsStream::touch() {
  since_ = loop_.now();
  patience_.set(since_ + kPatience);
}

}  // namespace sbx::egress
