// Reads the requests of one HTTP/1 connection as they pass, and says whether each is for the
// allowed host (RFC 9112). Pure. A connection that two readers could understand in two ways
// (request smuggling) is refused: strict where RFC 9112 lets a recipient choose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/http_head.hpp"
#include "protocol/looks.hpp"

namespace sbx::protocol {

/// Of the client's first bytes: an HTTP/1 request?
Looks looks_like_http(std::string_view start);

/// Of a connection that does not begin with a registered method: reads its first line as it passes.
/// Servers and proxies take any other word for a method as well, in small letters or behind a tab.
class FirstLine {
 public:
  enum class Is { open, request, other };
  /// The next byte. Nobody acts on a line before its end.
  Is take(char byte);

 private:
  /// Of the word that is being read, how much of "HTTP/1.1" (any digits) it has been.
  enum class Word { name, major, dot, minor, more, other };
  void begin_word();
  void read(char byte);
  [[nodiscard]] bool is_request() const;

  std::size_t seen_ = 0;
  std::size_t words_ = 0;    ///< that have begun
  bool between_ = true;      ///< words
  Word word_ = Word::other;  ///< the last of them
  std::size_t at_ = 0;       ///< in its name
  std::string first_{};      ///< the first word, as far as a method can be long
};

class HttpWatch {
 public:
  /// `host`: lower case, no final dot. The Host field, and the target of an absolute request, must
  /// be it, with `port` or without a port.
  HttpWatch(std::string host, std::uint16_t port);

  enum class State {
    passing,  ///< so far all is in order
    upgrade,  ///< to a WebSocket; stop feeding: the server's answer decides, see answered()
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
  enum class At { head, body, chunk_line, chunk_data, chunk_end, trailers };
  enum class Until { line, empty_line };

  std::size_t refuse(std::string problem);
  std::size_t step(std::string_view rest);
  std::size_t find_end(std::string_view rest, Until until, std::size_t most);
  bool judge_line(std::string_view line);
  std::size_t take_head(std::string_view rest);
  bool is_preface(std::string_view rest);
  std::size_t take_body(std::string_view rest);
  std::size_t take_data(std::string_view rest, At next);
  std::size_t take_chunk_line(std::string_view rest);
  std::size_t take_chunk_end(std::string_view rest);
  std::size_t take_trailers(std::string_view rest);

  HttpHost host_;
  State state_ = State::passing;
  std::string problem_{};
  At at_ = At::head;
  std::uint64_t left_ = 0;   ///< of a body or chunk
  std::size_t seen_ = 0;     ///< of the held bytes, looked at
  std::size_t line_ = 0;     ///< where in them the last line starts
  bool first_ = true;        ///< request of the connection
  bool suspicious_ = false;  ///< a body that may be HTTP/2
};

}  // namespace sbx::protocol
