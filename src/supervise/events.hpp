// The event stream (`--events`, contract section 4): one JSON object a line, numbered and timed.
//
// The reader can neither stop nor end a run. While more than 1 MiB waits for it, the payload's
// output is held back, as by any slow reader; once it has taken nothing for five seconds, output
// events are dropped until it has caught up, and the numbers show the gap. The other events always
// stay in line; at the end they get five seconds without progress. A write that fails ends the
// stream, also because the reader is gone; lost() says why.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "supervise/clock.hpp"
#include "supervise/outcome.hpp"
#include "supervise/poll_set.hpp"
#include "supervise/sink.hpp"

namespace sbx::supervise {

class EventLog {
 public:
  EventLog() = default;  ///< no events are wanted
  EventLog(Sink sink, Nanos started);

  [[nodiscard]] bool enabled() const { return enabled_; }

  void start(Nanos now, int pid, std::string_view run_id);
  /// `stream`: 1 stdout, 2 stderr. A character cut by the end of `bytes` waits for the rest of it.
  void output(Nanos now, int stream, std::string_view bytes);
  /// `figures`: an object of them. Not for a reader that takes nothing: the next ones are newer.
  void usage(Nanos now, std::string_view figures);
  void warning(Nanos now, std::string_view code, std::string_view text);
  void signal_sent(Nanos now, int signal, std::string_view reason);
  /// The first of its kind.
  void denial(Nanos now, const Denial& denial);
  /// The first of its kind. `connection`: an object, as the result has it, before a byte has
  /// passed.
  void connection(Nanos now, std::string_view connection);
  /// `artifact`: an object, as the result has it.
  void artifact(Nanos now, std::string_view artifact);
  /// Comes behind all output.
  void exit(Nanos now, const Outcome& outcome);
  /// `result`: the result object.
  void result(Nanos now, std::string_view result);

  /// All is said: a reader that took nothing before has its five seconds once more.
  void end(Nanos now);

  void watch(PollSet& set) const;
  void step(Nanos now);
  /// The payload's output has to wait for the reader.
  [[nodiscard]] bool congested() const { return waiting() > kMostWaiting && !stalled_; }
  /// Everything is written, or nothing can be.
  [[nodiscard]] bool idle() const { return waiting() == 0; }
  /// Why they could not be written, 0 if they could. A regular file ends with a whole line then.
  [[nodiscard]] int lost() const { return lost_; }
  /// The reader took nothing for too long.
  [[nodiscard]] bool stalled() const { return stalled_; }
  /// When a reader that takes nothing will be judged.
  [[nodiscard]] std::optional<Nanos> next() const;
  /// We were stopped for so long, and its reader perhaps with us.
  void shift(Nanos stopped) { progress_ += stopped; }

 private:
  static constexpr std::size_t kMostWaiting = std::size_t{1024} * 1024;

  [[nodiscard]] std::size_t waiting() const { return queue_.size() - written_; }
  void put(Nanos now, std::string_view type, const std::string& fields);
  void put_output(Nanos now, int stream, std::string_view bytes);
  void took(std::string_view bytes);
  void lose(int error);

  bool enabled_ = false;
  int lost_ = 0;
  bool stalled_ = false;
  Sink sink_;
  Nanos started_ = 0;
  Nanos progress_ = 0;
  std::uint64_t sequence_ = 0;
  std::string queue_;
  std::size_t written_ = 0;
  std::size_t torn_ = 0;  ///< how much is written of a line that is not written to its end
  std::array<std::string, 3> cut_{};  ///< by stream: the first bytes of an incomplete character
};

}  // namespace sbx::supervise
