// What the supervisor does with a signal it was sent. Pure: a small state machine over (signal,
// time).
//
// SIGINT, SIGTERM, SIGHUP and SIGQUIT go to the payload, which may handle them. A second one ends
// the tree; so does a payload that outlives a SIGTERM or SIGHUP by the grace time (at least two
// seconds), because these ask for the end of the run, not for the payload's opinion. A SIGHUP that
// comes within a second of another or of a SIGTERM is no second one: a terminal that goes away
// sends it to the shell, which passes it on, and to us as well. SIGTSTP stops payload and
// supervisor, SIGCONT continues both. SIGUSR1 and SIGUSR2 are whatever the payload takes them for.
#pragma once

#include <optional>

#include "supervise/clock.hpp"

namespace sbx::supervise {

class Forwarder {
 public:
  enum class Act {
    nothing,
    forward,  ///< send it to the payload, which is asked to end
    pass,     ///< send it to the payload
    kill,     ///< kill the whole tree
    stop,     ///< stop the payload, then ourselves
    resume,   ///< continue the payload; the terminal may have changed hands
    resize,   ///< pass the window size on
  };

  explicit Forwarder(Nanos grace);

  Act on_signal(int signal, Nanos now);
  /// A SIGTERM or SIGHUP was not heeded in time: kill. Told once.
  bool overdue(Nanos now);
  [[nodiscard]] std::optional<Nanos> next() const { return kill_at_; }
  /// The signal that asked for the end first; 0: none did.
  [[nodiscard]] int asked() const { return asked_; }
  /// We were stopped for so long, and the payload with us.
  void shift(Nanos stopped);

 private:
  [[nodiscard]] bool is_same_hangup(int signal, Nanos now) const;

  Nanos grace_;
  int asked_ = 0;
  Nanos asked_at_ = 0;
  std::optional<Nanos> kill_at_;
};

}  // namespace sbx::supervise
