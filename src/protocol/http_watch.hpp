// Reads the requests of one HTTP/1 connection as they pass, and says whether each is for the
// allowed host (RFC 9112). Pure. A connection that two readers could understand in two ways
// (request smuggling) is refused: strict where RFC 9112 lets a recipient choose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sbx::protocol {

/// Could the client's first bytes still become (maybe), or are they (yes), an HTTP/1 request?
enum class Looks { maybe, yes, no };
Looks looks_like_http(std::string_view start);

class HttpWatch {
 public:
  /// `host`: lower case, no final dot. The Host field, and the target of an absolute request, must
  /// be it, with `port` or without a port.
  HttpWatch(std::string host, std::uint16_t port);

  enum class State {
    passing,  ///< so far all is in order
    upgrade,  ///< stop feeding: what comes next depends on the server's answer, see answered()
    opaque,   ///< no HTTP any more (101): everything passes
    refused,  ///< nothing may pass from here on; see problem()
  };
  struct Passed {
    std::size_t bytes = 0;  ///< of `data`, from its start, may go to the server
    std::size_t held = 0;   ///< of `data`, behind those: feed them again with what follows
  };
  /// The client's next bytes. Of a header nothing passes before it is complete (16 KiB at most) and
  /// in order; bodies pass as they come.
  Passed feed(std::string_view data);
  /// In state upgrade: the server's first bytes (at least 12, or all there were before its end).
  void answered(std::string_view start);

  [[nodiscard]] State state() const { return state_; }
  /// "asks for evil.example.org", "has two Host fields"; a part of a sentence with the connection
  /// as its subject.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  std::string host_;
  std::uint16_t port_ = 0;
  State state_ = State::passing;
  std::string problem_{};
  // The reader's state: where in a request, what is left of a body.
};

}  // namespace sbx::protocol
