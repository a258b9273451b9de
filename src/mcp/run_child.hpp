// One `sbx run` of ours, as a child: fed, listened to, ended when the client does not want it any
// more. The server's loop drives it.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "mcp/line_reader.hpp"
#include "mcp/message.hpp"
#include "os/fd.hpp"
#include "supervise/clock.hpp"
#include "supervise/poll_set.hpp"

namespace sbx::mcp {

class RunChild {
 public:
  struct Wish {
    std::vector<std::string> words{};    ///< of `sbx`, with --json and, for `events`, --events=fd:3
    std::vector<std::string> env{};      ///< "NAME=value"
    std::optional<std::string> input{};  ///< nullopt: nothing to read
    bool events = false;
  };
  static Result<RunChild> start(Wish wish);
  RunChild(RunChild&&) noexcept = default;
  RunChild& operator=(RunChild&&) = delete;
  RunChild(const RunChild&) = delete;
  RunChild& operator=(const RunChild&) = delete;
  /// It is killed, if it still runs.
  ~RunChild();

  /// `reads`: else nothing is read, and the run waits.
  void watch(supervise::PollSet& set, bool reads);
  /// Called with a piece of output of either stream.
  using OnOutput = std::function<void(std::string_view text)>;
  void step(const supervise::PollSet& set, const OnOutput& on_output);

  /// Ends the whole tree; returns at once. What it was asked to keep it does not.
  void cancel(supervise::Nanos now);
  [[nodiscard]] bool cancelled() const { return kill_at_.has_value(); }
  [[nodiscard]] std::optional<supervise::Nanos> next() const { return kill_at_; }
  /// It has not ended as it was asked to.
  void insist(supervise::Nanos now);
  /// In a copy of this process, which would hold its streams open.
  void let_go();

  [[nodiscard]] bool ended() const { return pid_ == 0 && !result_.fd.valid() && !said_.fd.valid(); }
  /// The result object of an ended one; null: there is none.
  [[nodiscard]] Json result() const;
  /// The name under which it has kept what it changed; "": nothing is kept.
  [[nodiscard]] std::string kept() const;
  /// What sbx said on standard error, without the prefix of its lines: who tells it puts one
  /// before them.
  [[nodiscard]] std::string complaint() const;

 private:
  struct Stream {
    os::UniqueFd fd{};
    std::string text{};
    std::size_t index = supervise::kNotPolled;
  };
  RunChild() : events_(kLongestEvent) {}
  void feed();
  static bool read_some(Stream& stream, std::string& to);
  void hear(const OnOutput& on_output);

  static constexpr std::size_t kLongestEvent = std::size_t{1} << 20U;

  pid_t pid_ = 0;
  os::UniqueFd pidfd_{};
  std::size_t ended_index_ = supervise::kNotPolled;
  Stream input_{};  ///< `text`: what is still to be written
  Stream result_{};
  Stream said_{};
  Stream event_line_{};
  LineReader events_;
  std::optional<supervise::Nanos> kill_at_{};
};

}  // namespace sbx::mcp
