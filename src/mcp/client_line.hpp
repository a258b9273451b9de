// The two streams to the client: lines in, lines out. What it does not read waits, and while much
// waits nothing more is asked for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "mcp/line_reader.hpp"
#include "mcp/message.hpp"
#include "supervise/poll_set.hpp"
#include "supervise/sink.hpp"

namespace sbx::mcp {

class ClientLine {
 public:
  ClientLine();

  void watch(supervise::PollSet& set);
  void step(const supervise::PollSet& set);
  /// The next line that it has sent.
  std::optional<LineReader::Line> next() { return reader_.next(); }
  void send(const Json& message);

  /// Is it slow to read? Then nobody should make more for it.
  [[nodiscard]] bool congested() const { return queue_.size() - written_ > kMuch; }
  /// It has closed a stream, or is gone.
  [[nodiscard]] bool gone() const { return gone_; }
  /// Nobody reads what we write.
  [[nodiscard]] bool deaf() const { return deaf_; }
  [[nodiscard]] bool waiting() const { return written_ < queue_.size() && !deaf_; }

 private:
  static constexpr std::size_t kMuch = std::size_t{1} << 20U;
  void write();

  LineReader reader_{kLongestLine};
  supervise::Sink sink_;
  std::string queue_{};
  std::size_t written_ = 0;
  std::size_t in_ = supervise::kNotPolled;
  std::size_t out_ = supervise::kNotPolled;
  bool listens_ = true;
  bool gone_ = false;
  bool deaf_ = false;
};

}  // namespace sbx::mcp
