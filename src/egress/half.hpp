// One direction of a relayed connection: takes from one socket what the other can take, and no more
// than that (backpressure); carries the end of the stream over. Little is copied through a buffer,
// much is spliced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "egress/guard.hpp"
#include "egress/pipes.hpp"
#include "egress/throttle.hpp"
#include "protocol/server_hello.hpp"

namespace sbx::egress {

class Half {
 public:
  /// What it waits for.
  enum class Need {
    input,
    output,
    time,    ///< the rate limit: see Throttle::when()
    answer,  ///< the guard waits for the other direction
    end,     ///< nothing: all is carried, and the end of it
    broken,  ///< a socket was reset, or the guard refused
  };

  Half(Pipes& pipes, Throttle& throttle, Direction direction)
      : pipes_(pipes), throttle_(throttle), direction_(direction) {}
  Half(const Half&) = delete;
  Half& operator=(const Half&) = delete;
  ~Half();

  void guard_with(Guard guard) { guard_.emplace(std::move(guard)); }
  [[nodiscard]] std::optional<Guard>& guard() { return guard_; }
  /// Keep the first bytes that pass, for another direction's guard.
  void note_start() { notes_start_ = true; }
  [[nodiscard]] const std::string& start() const { return start_; }
  /// Goes before everything that is read.
  void put_first(std::string bytes);
  /// The other direction's guard has an answer.
  void answered(std::string_view start);

  /// Moves what can be moved now, a bounded part of it. `carried`: grows by what `to` has taken.
  Need pump(int from, int to, std::int64_t now, std::uint64_t& carried);

 private:
  enum class Step { more, again, broken };
  static constexpr std::size_t kStart =
      protocol::kServerHelloStart;  ///< the most that a guard wants

  Step flush(int to, std::uint64_t& carried);
  Step take(int from, std::int64_t now);
  Step copy(int from, std::size_t most, std::size_t& taken);
  Step splice_in(int from, std::size_t most, std::size_t& taken);
  void note(std::string_view bytes);
  void drop_pipe();

  Pipes& pipes_;
  Throttle& throttle_;
  Direction direction_;
  std::optional<Guard> guard_{};
  std::optional<os::Pipe> pipe_{};
  std::size_t in_pipe_ = 0;
  std::string pending_{};
  std::size_t sent_ = 0;  ///< of pending_
  std::string start_{};
  bool notes_start_ = false;
  bool bulk_ = false;     ///< the last read filled the buffer
  bool starved_ = false;  ///< the rate limit grants nothing now
  bool ended_ = false;    ///< `from` has no more
  bool closed_ = false;   ///< `to` knows
};

}  // namespace sbx::egress
