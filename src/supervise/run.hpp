// One run in the supervisor's hands, from set-up to the outcome.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "os/signals.hpp"
#include "os/tree_clocks.hpp"
#include "os/tree_times.hpp"
#include "os/unread.hpp"
#include "supervise/accounting.hpp"
#include "supervise/artifact_keeper.hpp"
#include "supervise/change_keeper.hpp"
#include "supervise/control.hpp"
#include "supervise/deadline.hpp"
#include "supervise/denials.hpp"
#include "supervise/events.hpp"
#include "supervise/forward.hpp"
#include "supervise/high_watch.hpp"
#include "supervise/live_json.hpp"
#include "supervise/network_keeper.hpp"
#include "supervise/place_watch.hpp"
#include "supervise/streams.hpp"
#include "supervise/supervisor.hpp"
#include "supervise/tree_watch.hpp"

namespace sbx::supervise {

class Run {
 public:
  Run(const plan::Plan& plan, const Sinks& sinks);
  Outcome execute(const Launcher& launcher);
  /// Something of ours has failed, as `why` says: the sandbox is gone, and what is known of the run
  /// is told, but for its output, which takes most of the memory.
  Outcome give_up(const char* why);

 private:
  Result<void> set_up(const Launcher& launcher);
  /// The command runs in `sandbox`: begins all that looks after it.
  Result<void> begin_watching(std::unique_ptr<LiveSandbox> sandbox, Stdio stdio);
  Result<void> await_turn();
  void lose_result(const char* why);
  void look_for_end();
  void supervise_tree();  ///< until the whole tree has ended
  void reap_tree();
  [[nodiscard]] bool was_ended() const;
  void deliver_rest();  ///< what the tree left in our pipes
  void conclude();
  void publish();

  void enforce(Nanos now);
  void check_cpu(Nanos now);
  /// What no cgroup counts of it: memory, processor time.
  void look_at_tree(Nanos now);
  void sample_tree(Nanos now);
  void not_seen(Errno why, std::string_view what);
  /// It has done nothing since the last sample; also notes that its memory is the same.
  bool tree_stands_still(Nanos now);
  void look_at_sockets();
  /// Is it time for looks at what nobody keeps for us? In the grace before a kill it is.
  [[nodiscard]] bool looks_on() const;
  bool nothing_has_grown(Nanos now);
  bool sockets_may_pass(Nanos now);
  double processors();
  void end_run(KilledFor why, Nanos now, Nanos grace);
  void send(int signal, std::string_view reason);
  void take_signals();
  void stop_and_resume();
  bool freeze();  ///< false: the tree goes on
  void move(Nanos now);
  void wait(std::optional<Nanos> until);
  void settle(Nanos now);
  [[nodiscard]] std::optional<Nanos> next_wake() const;
  bool write_result(int fd, std::string_view line);
  bool write_in_pieces(int fd);
  std::string write_events();
  bool asked_to_end();

  void open_door();  ///< once: `sbx ps` and the others find us from here on
  std::optional<std::string> serve(const Request& request);
  std::string pause();
  std::string resume();
  [[nodiscard]] LiveRun describe() const;
  void tell_usage(Nanos now);
  void keep_changes();
  void collect_artifacts();
  void tell_memory_high(Nanos now);
  Denials::Tell tell_denial();
  void hear_denials(Nanos now);
  Result<void> start_network();
  void tell_connection(const egress::Connections& seen);
  void finish_network();
  Result<void> look_for_secrets();    ///< while their values are there
  [[nodiscard]] bool leaked() const;  ///< and that is to end the run
  void look_at_places(Nanos now);
  void clean_places();
  void account_for_denials();

  const plan::Plan& plan_;
  const Sinks& sinks_;
  Nanos started_;
  Nanos exec_ = 0;
  bool told_ = false;      ///< the result, or part of it
  bool end_told_ = false;  ///< init has said that the command has ended, or has died
  bool tree_ended_ = false;
  std::optional<Nanos> drop_due_;  ///< of output that its reader does not take
  std::optional<Nanos> paused_since_;
  std::optional<Nanos> usage_due_;          ///< the next `usage` event
  std::optional<Nanos> settle_due_;         ///< when our code is let go, because nothing needs it
  Nanos polled_ = 0;                        ///< when it was last asked what there is to be done
  Nanos settle_pause_ = 50 * kMillisecond;  ///< how long nothing has to have come before that

  os::SignalGate gate_;
  EventLog events_;
  std::unique_ptr<LiveSandbox> sandbox_;
  Streams streams_;
  Deadlines deadlines_;
  TreeWatch tree_watch_;
  TreeWatch oom_watch_;
  TreeWatch socket_watch_;
  os::UnreadSockets sockets_;
  HighWatch high_watch_;
  PlaceWatch place_watch_;
  os::TreeTimes tree_times_;
  os::TreeClocks tree_clocks_;
  long processors_ = 0;  ///< 0: not asked yet
  bool told_hidden_ = false;
  Escalation escalation_;
  Forwarder forwarder_;
  Control control_;
  bool has_door_ = false;
  Denials denials_;
  NetworkKeeper network_;
  ChangeKeeper changes_;
  ArtifactKeeper artifacts_;
  Evidence evidence_;
  Outcome outcome_;
  PollSet set_;
  std::size_t pidfd_index_ = kNotPolled;
  std::size_t end_index_ = kNotPolled;
};

}  // namespace sbx::supervise
