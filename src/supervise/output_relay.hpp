// Carries one output stream from our pipe (or the pty) to the caller, byte for byte, with a bounded
// buffer: when the caller is slow, the payload waits, as in a plain pipeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "os/fd.hpp"
#include "supervise/poll_set.hpp"
#include "supervise/screen_modes.hpp"
#include "supervise/sink.hpp"
#include "supervise/stream_meter.hpp"

namespace sbx::supervise {

class OutputRelay {
 public:
  /// `source`: the read end of a pipe of ours, or a pty's master. It becomes non-blocking.
  OutputRelay(os::UniqueFd source, Sink sink, StreamMeter meter, bool from_pty = false);

  void watch(PollSet& set) const;
  /// Moves what can be moved now. True: the payload wrote something.
  bool step();
  /// While held, nothing more is read from the payload.
  void hold(bool on) { held_ = on; }
  /// The tree has ended: carry what it left in the pipe, and no byte that somebody outside (who was
  /// handed the write end) adds later.
  void tree_ended();
  /// Closes the payload's pipe and drops what was not delivered.
  void abandon();
  /// Looks from now on for what the payload switches on in the terminal that takes its output.
  void watch_screen() { screen_.emplace(); }
  /// Puts that back, in a terminal that takes it at once.
  void put_back_screen();

  [[nodiscard]] bool done() const { return !source_.valid() && pending().empty(); }
  /// The caller does not take what the payload wrote.
  [[nodiscard]] bool blocked() const { return sink_full_; }
  /// How many bytes the caller has taken.
  [[nodiscard]] std::uint64_t delivered() const { return delivered_; }
  /// Why the caller's end was lost, 0 if it was not. The payload gets SIGPIPE at its next write
  /// then.
  [[nodiscard]] int lost() const { return lost_; }
  StreamMeter& meter() { return meter_; }
  [[nodiscard]] const StreamMeter& meter() const { return meter_; }

 private:
  enum class Moved { something, nothing, end };

  [[nodiscard]] std::string_view pending() const { return pending_; }
  Moved move_spliced();
  Moved move_buffered();
  Moved end_of_stream();
  bool flush();
  void lose(int error);

  os::UniqueFd source_;
  Sink sink_;
  StreamMeter meter_;
  bool from_pty_;
  bool splice_;
  bool held_ = false;
  bool sink_full_ = false;
  std::uint64_t delivered_ = 0;
  std::optional<ScreenModes> screen_{};
  int lost_ = 0;
  std::optional<std::size_t> left_;  ///< after the tree's end: how much may still be read
  std::unique_ptr<char[]> buffer_;   ///< made when needed, and never filled for nothing
  std::string tail_;
  std::string_view pending_;  ///< into buffer_ or tail_
};

}  // namespace sbx::supervise
