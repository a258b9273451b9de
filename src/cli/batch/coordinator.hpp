// Starts the processes of a batch's jobs as far as they fit, takes their results, and writes them
// in the order in which they end. One poll loop, no threads.
#pragma once

#include <bitset>
#include <chrono>
#include <deque>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "batch/admission.hpp"
#include "batch/turns.hpp"
#include "cli/batch/job_list.hpp"
#include "cli/batch/output.hpp"
#include "cli/batch/policies.hpp"
#include "cli/batch/progress.hpp"
#include "cli/batch/screen.hpp"
#include "os/fd.hpp"
#include "os/signals.hpp"

namespace sbx::cli::batch {

struct Settings {
  sbx::batch::Capacity capacity;
  std::size_t retries = 0;
  std::bitset<kStatuses> retry_on;  ///< by supervise::Status
  bool fail_fast = false;
  bool progress = false;
  /// Sandboxes are made while other commands run, and removed while the next ones do. Where jobs
  /// touch the host, each begins when one before it has ended altogether.
  bool overlap = true;
};

/// Why a batch has ended before its last job, if it has.
struct Cut {
  int signal = 0;                ///< it was asked to
  bool failed = false;           ///< --fail-fast
  std::optional<Error> error{};  ///< it cannot go on
  [[nodiscard]] bool any() const { return signal != 0 || failed || error.has_value(); }
};

class Coordinator {
 public:
  /// `waiting`: indices into `list.jobs`, in order. `tally`: what was there before.
  Coordinator(JobList& list, Policies& policies, Output& output, const Settings& settings,
              std::vector<std::uint32_t> waiting, const Tally& tally);

  /// Until every job has its result, or something cuts it short; nothing is live then.
  Cut run();
  [[nodiscard]] const Tally& tally() const { return tally_; }

 private:
  using Clock = std::chrono::steady_clock;
  using Turn = sbx::batch::Turn;

  /// A job whose own process has gone.
  struct Lost {
    Turn turn;
    std::string why;
  };
  struct Live {
    Turn turn;
    pid_t pid = 0;
    os::UniqueFd pidfd{};
    os::UniqueFd result{};
    os::UniqueFd channel{};  ///< see Task::coordinator_fd
    enum class Stage {
      waits,  ///< its sandbox is made, and then waits for its turn
      runs,   ///< its command may take what it needs
      goes,   ///< its command has ended, and the rest of its processes is being ended
      ends,   ///< nothing of the command lives any more, and its result is made
      gone,   ///< its process has ended
    } stage = Stage::waits;
    bool reporting = false;  ///< it only tells that its job's own process has gone
    Clock::time_point since{};
  };

  void admit();
  void give_turns();
  bool start_next();
  bool start_or_wait(Turn turn, const std::string& lost);
  [[nodiscard]] bool fits_ahead(const Entry& entry) const;
  [[nodiscard]] bool fits_now(const Entry& entry) const;
  void hear(Live& live);
  void advance(Live& live, Live::Stage stage);
  Result<void> start(Turn turn, const std::string& lost);
  [[noreturn]] void become_worker(Live& live, int channel, const std::string& lost,
                                  pid_t coordinator);
  void wait();
  void take_signals();
  void collect(Live& live);
  void finish(Live& live, int status);
  void lose(Live& live, int wait_status);
  void give_back(const Live& live);
  void write(const Live& live, supervise::Status status, bool complete);
  bool again(const Turn& turn, supervise::Status status);
  void signal_live(int signal);
  void end_live();
  void paint();

  JobList& list_;
  Policies& policies_;
  Output& output_;
  const Settings& settings_;
  sbx::batch::Turns turns_;
  std::deque<Lost> lost_;  ///< whose results say so, and are still to be written
  std::list<Live> live_;
  const std::size_t most_live_;
  /// How many of them there may be: fewer when there was no process or descriptor left for one,
  /// one more whenever as many have ended well.
  std::size_t room_;
  std::size_t ended_in_room_ = 0;
  sbx::batch::Admission admission_;
  os::SignalGate gate_;
  Screen screen_;
  Tally tally_;
  Cut cut_;
  Clock::time_point started_ = Clock::now();
  std::optional<Clock::time_point> kill_at_;
};

}  // namespace sbx::cli::batch
