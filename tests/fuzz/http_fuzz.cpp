// libFuzzer target: any bytes as what an HTTP client sends, cut anywhere. Verdict and passed bytes
// do not depend on the cut, nothing passes after a refusal, and another, slower reader finds only
// requests for the allowed host in what has passed.
#include <optional>
#include <string>

#include "promise.hpp"
#include "protocol/http_watch.hpp"

namespace {

using namespace sbx::protocol;
using sbx::fuzz::require;
using State = HttpWatch::State;

struct Seen {
  State state = State::passing;
  std::string passed{};
  std::string problem{};
  std::optional<std::size_t> opaque_from{};
  bool operator==(const Seen&) const = default;
};

class Driver {
 public:
  explicit Driver(std::string_view answer) : answer_(answer) {}

  void feed(std::string_view data) {
    held_ += data;
    pass();
    if (watch_.state() != State::upgrade) return;
    watch_.answered(answer_);
    require(watch_.state() == State::opaque || watch_.state() == State::passing);
    if (watch_.state() == State::opaque) seen_.opaque_from = seen_.passed.size();
    pass();
  }
  [[nodiscard]] Seen seen() const {
    Seen result = seen_;
    result.state = watch_.state();
    result.problem = watch_.problem();
    return result;
  }

 private:
  void pass() {
    const bool refused = watch_.state() == State::refused;
    const HttpWatch::Passed passed = watch_.feed(held_);
    require(passed.bytes + passed.held <= held_.size());
    if (refused) require(passed.bytes == 0);
    require((watch_.state() == State::refused) == !watch_.problem().empty());
    if (watch_.state() != State::refused) require(passed.bytes + passed.held == held_.size());
    seen_.passed += held_.substr(0, passed.bytes);
    held_ = held_.substr(passed.bytes, passed.held);
    require(held_.size() <= 16384 || watch_.state() == State::upgrade);
  }

  HttpWatch watch_{"ok.example", 80};
  std::string answer_;
  std::string held_{};
  Seen seen_{};
};

std::string lower(std::string text) {
  for (char& byte : text) byte = byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : byte;
  return text;
}

/// The value of the field in a lower-case header, which may have it `most` times.
std::optional<std::string> field(const std::string& head, const std::string& name, int most) {
  std::optional<std::string> value;
  for (std::size_t at = head.find("\r\n" + name + ":"); at != std::string::npos;
       at = head.find("\r\n" + name + ":", at + 1)) {
    require(most-- > 0);
    const std::size_t from = at + 3 + name.size();
    const std::string line = head.substr(from, head.find("\r\n", from) - from);
    const std::size_t first = line.find_first_not_of(" \t");
    value = first == std::string::npos
                ? ""
                : line.substr(first, line.find_last_not_of(" \t") - first + 1);
  }
  return value;
}

/// The size of a chunked body from `at` on; npos: it does not end here.
std::size_t skip_chunks(const std::string& text, std::size_t at) {
  while (true) {
    const std::size_t end = text.find("\r\n", at);
    if (end == std::string::npos) return end;
    const std::uint64_t size = std::stoull(text.substr(at, end - at), nullptr, 16);
    at = end + 2;
    if (size == 0) break;
    if (size > text.size() - at || text.size() - at - size < 2) return std::string::npos;
    at += size;
    require(text.compare(at, 2, "\r\n") == 0);
    at += 2;
  }
  // Either no trailer, or up to an empty line.
  const std::size_t end = text.find("\r\n\r\n", at - 2);
  if (end == std::string::npos) return end;
  const std::string trailers = lower(text.substr(at - 2, end - at + 4));
  for (const char* name : {"host", "content-length", "transfer-encoding"}) field(trailers, name, 0);
  return end + 4;
}

/// Every request in `text`, whose last may be incomplete behind its header.
void check_requests(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find("\r\n\r\n", at);
    require(end != std::string::npos);
    const std::string head = lower(text.substr(at, end - at + 2));
    const std::optional<std::string> host = field(head, "host", 1);
    require(host == "ok.example" || host == "ok.example:80" || host == "ok.example." ||
            host == "ok.example.:80");
    for (std::size_t i = 0; i < head.size(); ++i) {
      require(head[i] != '\0');
      if (head[i] == '\n') require(i > 0 && head[i - 1] == '\r');
      if (head[i] == '\r') require(head[i + 1] == '\n');
    }
    require(!head.starts_with("connect ") && !head.starts_with("pri "));
    require(head.find(" http/1.") < head.find("\r\n"));
    const auto length = field(head, "content-length", 1);
    const auto encoding = field(head, "transfer-encoding", 1);
    require(!length || !encoding);
    at = end + 4;
    if (encoding) {
      require(encoding == "chunked");
      at = skip_chunks(text, at);
    } else if (length) {
      const std::uint64_t size = std::stoull(*length);
      if (size > text.size() - at) return;
      at += size;
    }
    if (at == std::string::npos) return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kCuts = 4;
  if (size <= kCuts) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view cuts = input.substr(0, kCuts);
  const std::string_view text = input.substr(kCuts);
  const bool agrees = (data[0] & 0x80U) == 0;
  const std::string_view answer = agrees ? "HTTP/1.1 101 Switching" : "HTTP/1.1 200 OK\r\n";

  Driver whole(answer);
  whole.feed(text);
  const Seen seen = whole.seen();
  require(text.starts_with(seen.passed));
  check_requests(seen.passed.substr(0, seen.opaque_from.value_or(seen.passed.size())));
  whole.feed("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  if (seen.state == State::refused) require(whole.seen() == seen);

  Driver pieces(answer);
  sbx::fuzz::in_pieces(text, cuts, [&](std::string_view piece) { pieces.feed(piece); });
  require(pieces.seen() == seen);
  Driver bytes(answer);
  for (const char byte : text) bytes.feed({&byte, 1});
  require(bytes.seen() == seen);
  static_cast<void>(looks_like_http(text));
  return 0;
}
