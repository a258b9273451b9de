// The payload's three streams as one thing: the relays that the routes ask for, or the pty with the
// caller's terminal in raw mode.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/pty.hpp"
#include "plan/plan.hpp"
#include "supervise/input_relay.hpp"
#include "supervise/live_sandbox.hpp"
#include "supervise/outcome.hpp"
#include "supervise/output_relay.hpp"
#include "supervise/stdio_setup.hpp"

namespace sbx::supervise {

class Streams {
 public:
  /// Told of every piece of output that goes on: stream 1 or 2, bytes.
  using Observer = std::function<void(int, std::string_view)>;

  /// After the launch. `observer` may be empty. Error: the plan has a pty and the sandbox none.
  Result<void> start(const plan::Plan& plan, Stdio stdio, LiveSandbox& sandbox,
                     const Observer& observer, const Redactor& redactor = {});

  void watch(PollSet& set);
  /// Moves what can be moved. True: the payload wrote something.
  bool step(const PollSet& set);
  void hold(bool on);
  /// The payload may be waiting for a slow reader, so its silence means nothing.
  [[nodiscard]] bool held_back() const;
  /// A reader does not take what the payload wrote.
  [[nodiscard]] bool blocked() const;
  /// Bytes that the readers have taken so far.
  [[nodiscard]] std::uint64_t delivered() const;
  /// Masks so far, in both.
  [[nodiscard]] std::uint64_t redactions() const;
  /// A stream passed its cap, and that is to end the run.
  [[nodiscard]] bool must_kill() const;

  void before_stop();   ///< we are about to be stopped: the terminal as it was
  void after_resume();  ///< we run again
  void resize();        ///< the window has a new size
  /// Another job is in front of the caller's terminal. No signal tells when that changes (a shell's
  /// `fg` sends SIGCONT only to a stopped job), so step() has to be called now and then.
  [[nodiscard]] bool in_background() const { return in_ && in_->paused(); }

  /// No more input; only what the tree left behind is still carried.
  void tree_ended();
  void abandon();
  [[nodiscard]] bool done() const;
  /// All is carried: the terminal as it was. Fills `outcome`'s records and what was lost.
  /// `by_itself`: the payload has ended so, and what it has left on the terminal's screen is meant.
  void finish(Outcome& outcome, bool by_itself);
  /// The terminal as it was; what is carried or kept goes, with the memory that it takes.
  void give_up();

 private:
  using Relay = std::optional<OutputRelay>;

  Result<void> start_pty(const MeterRules& rules, LiveSandbox& sandbox);
  void start_input(os::UniqueFd sink, bool to_pty);
  void take_terminal();
  void put_back_screen();

  Stdio stdio_;
  std::optional<InputRelay> in_;
  std::array<Relay, 2> out_;  ///< stdout (or the pty), stderr
  bool held_ = false;
  std::optional<os::RawTerminal> terminal_;
  os::UniqueFd peer_;
  int master_ = -1;  ///< out_[0]'s while that lives
  int window_ = -1;  ///< the caller's terminal
};

}  // namespace sbx::supervise
