// Drives a HttpWatch as the gateway does: what is held comes again with what follows.
#pragma once

#include <string>
#include <string_view>

#include "protocol/http_watch.hpp"

namespace sbx::protocol::testing {

struct Seen {
  HttpWatch::State state = HttpWatch::State::passing;
  std::string passed{};
  std::string problem{};
  bool operator==(const Seen&) const = default;
};

class Driver {
 public:
  explicit Driver(std::string host = "ok.example", std::uint16_t port = 80)
      : watch_(std::move(host), port) {}

  void feed(std::string_view data) {
    held_ += data;
    const HttpWatch::Passed passed = watch_.feed(held_);
    seen_.passed += held_.substr(0, passed.bytes);
    held_ = held_.substr(passed.bytes, passed.held);
  }
  void answered(std::string_view start) {
    watch_.answered(start);
    feed("");
  }
  [[nodiscard]] Seen seen() const {
    Seen result = seen_;
    result.state = watch_.state();
    result.problem = watch_.problem();
    return result;
  }

 private:
  HttpWatch watch_;
  std::string held_{};
  Seen seen_{};
};

/// `input` in pieces of `size` bytes, the first of `first`.
inline Seen watch(std::string_view input, std::size_t size, std::size_t first) {
  Driver driver;
  driver.feed(input.substr(0, first));
  for (std::size_t at = first; at < input.size(); at += size) driver.feed(input.substr(at, size));
  return driver.seen();
}

}  // namespace sbx::protocol::testing
