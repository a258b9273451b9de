#include "protocol/http_watch.hpp"

#include <algorithm>

namespace sbx::protocol {

namespace {

constexpr std::size_t kMostHead = 16384;
constexpr std::size_t kMostChunkLine = 256;
constexpr std::string_view kLineEnd = "\r\n";

}  // namespace

HttpWatch::HttpWatch(std::string host, std::uint16_t port) : host_{std::move(host), port} {}

std::size_t HttpWatch::refuse(std::string problem) {
  state_ = State::refused;
  problem_ = std::move(problem);
  return 0;
}

HttpWatch::Passed HttpWatch::feed(std::string_view data) {
  if (state_ == State::opaque) return {.bytes = data.size()};
  Passed passed;
  while (state_ == State::passing && passed.bytes < data.size()) {
    const std::size_t size = step(data.substr(passed.bytes));
    if (size == 0) break;
    passed.bytes += size;
    seen_ = 0;
    line_ = 0;
  }
  if (state_ != State::refused) passed.held = data.size() - passed.bytes;
  return passed;
}

void HttpWatch::answered(std::string_view start) {
  if (state_ != State::upgrade) return;
  state_ = start.starts_with("HTTP/1.1 101") ? State::opaque : State::passing;
}

/// How many bytes from the start of `rest` are in order; 0: not all of a unit is there, or refused.
std::size_t HttpWatch::step(std::string_view rest) {
  switch (at_) {
    case At::head:
      return take_head(rest);
    case At::body:
      return take_body(rest);
    case At::chunk_line:
      return take_chunk_line(rest);
    case At::chunk_data:
      return take_data(rest, At::chunk_end);
    case At::chunk_end:
      return take_chunk_end(rest);
    case At::trailers:
      return take_trailers(rest);
  }
  return 0;
}

/// The size of one line with its end, or of all up to an empty line; 0: not there yet, or refused.
/// Goes on where the last call stopped: held bytes come again.
std::size_t HttpWatch::find_end(std::string_view rest, Until until, std::size_t most) {
  for (; seen_ < rest.size(); ++seen_) {
    if (seen_ == most)
      return refuse("sends a header of more than " + std::to_string(most) + " bytes");
    const char byte = rest[seen_];
    const bool after_cr = seen_ > 0 && rest[seen_ - 1] == '\r';
    if ((byte == '\n') != after_cr) return refuse("sends a line that does not end with CR and LF");
    if (byte != '\n') {
      const auto code = static_cast<unsigned char>(byte);
      if ((code < ' ' && byte != '\t' && byte != '\r') || code == 0x7f)
        return refuse("sends a control byte in a header");
      continue;
    }
    const std::size_t length = seen_ + 1 - line_ - kLineEnd.size();
    // A request's first line is judged at once: what speaks HTTP/0.9 waits for an answer to it.
    if (at_ == At::head && line_ == 0 && !judge_line(rest.substr(0, length))) return 0;
    line_ = seen_ + 1;
    if (until == Until::line || length == 0) return line_;
  }
  return 0;
}

bool HttpWatch::judge_line(std::string_view line) {
  const auto version = read_request_line(line, host_);
  if (!version) refuse(version.error());
  return version.has_value();
}

std::size_t HttpWatch::take_head(std::string_view rest) {
  const std::size_t size = find_end(rest, Until::empty_line, kMostHead);
  if (size == 0) return 0;
  const auto head = read_head(rest.substr(0, size), host_);
  if (!head) return refuse(head.error());
  // Which answer is that of a later request is not known here.
  if (head->websocket && !first_) return refuse("asks for a WebSocket after other requests");
  first_ = false;
  if (head->websocket) state_ = State::upgrade;
  left_ = head->length;
  suspicious_ = head->other_upgrade && left_ != 0;
  at_ = head->chunked ? At::chunk_line : left_ != 0 ? At::body : At::head;
  return size;
}

/// A server that goes over to HTTP/2 before it has read the body would find the connection's
/// preface (RFC 9113 3.4) and requests in it.
bool HttpWatch::is_preface(std::string_view rest) {
  constexpr std::string_view kPreface = "PRI ";
  const std::size_t size = std::min(rest.size(), kPreface.size());
  if (rest.substr(0, size) != kPreface.substr(0, size) || left_ < kPreface.size()) {
    suspicious_ = false;
  } else if (size == kPreface.size()) {
    refuse("speaks HTTP/2 without TLS in a body");
  }
  return suspicious_;
}

std::size_t HttpWatch::take_body(std::string_view rest) {
  if (suspicious_ && is_preface(rest)) return 0;
  return take_data(rest, At::head);
}

std::size_t HttpWatch::take_data(std::string_view rest, At next) {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, rest.size()));
  left_ -= size;
  if (left_ == 0) at_ = next;
  return size;
}

std::size_t HttpWatch::take_chunk_line(std::string_view rest) {
  const std::size_t size = find_end(rest, Until::line, kMostChunkLine);
  if (size == 0) return 0;
  const auto chunk = read_chunk_size(rest.substr(0, size - kLineEnd.size()));
  if (!chunk) return refuse("has a chunk without a proper size");
  left_ = *chunk;
  at_ = left_ == 0 ? At::trailers : At::chunk_data;
  return size;
}

std::size_t HttpWatch::take_chunk_end(std::string_view rest) {
  const std::size_t size = std::min(rest.size(), kLineEnd.size());
  if (rest.substr(0, size) != kLineEnd.substr(0, size))
    return refuse("has a chunk that is longer than it says");
  if (size < kLineEnd.size()) return 0;
  at_ = At::chunk_line;
  return size;
}

std::size_t HttpWatch::take_trailers(std::string_view rest) {
  const std::size_t size = find_end(rest, Until::empty_line, kMostHead);
  if (size == 0) return 0;
  if (std::optional<std::string> wrong = wrong_in_trailers(rest.substr(0, size)))
    return refuse(std::move(*wrong));
  at_ = At::head;
  return size;
}

}  // namespace sbx::protocol
