// How init and payload tell the supervisor what happened: one page of shared memory and one pipe
// (architecture 2.3). No text crosses; the supervisor holds the same plan and words it.
#pragma once

#include <sys/resource.h>

#include <atomic>
#include <cstdint>

#include "os/cpu_time.hpp"

namespace sbx::launch {

/// A step that failed. As the record written into the pipe: EOF without one means that exec
/// happened (or that everybody died, which the page tells apart). init lets go of the pipe when it
/// releases the payload.
struct FailureRecord {
  std::int32_t step = -1;
  std::int32_t error = 0;
};
static_assert(sizeof(FailureRecord) == 8);

/// What of SharedPage::copied.
constexpr std::uint32_t kCopiedKept = 1;   ///< the tree whose changes are kept
constexpr std::uint32_t kCopiedOther = 2;  ///< another

/// Written by one process, read when that is known to be done with it.
class SharedCpuTime {
 public:
  void store(const os::CpuTime& time) noexcept {
    user_us_.store(time.user_us);
    system_us_.store(time.system_us);
  }
  [[nodiscard]] os::CpuTime load() const noexcept { return {user_us_.load(), system_us_.load()}; }

 private:
  std::atomic<std::uint64_t> user_us_{0}, system_us_{0};
};

/// Lives in a MAP_SHARED page made before clone. init and payload write, the supervisor reads; exec
/// takes it away from the payload.
struct SharedPage {
  std::atomic<std::int32_t> init_step{-1};     ///< stored before each step of init, and of guard
  std::atomic<std::int32_t> payload_step{-1};  ///< stored before each step of the payload
  std::atomic<std::uint32_t> called_back{0};   ///< init, to the supervisor's processor
  std::atomic<std::int32_t> rule{-1};          ///< which rule of ApplyLandlock is being made
  /// The first failure: what the other process then runs into, because of it, does not count.
  std::atomic<FailureRecord> failed{FailureRecord{}};
  std::atomic<std::int32_t> exec_errno{0};     ///< the command cannot be executed: 126 or 127
  std::atomic<std::uint32_t> exec_started{0};  ///< set just before exec
  std::atomic<std::uint32_t> listening{0};     ///< the filter has a listener, which was sent to us
  std::atomic<std::uint32_t> copied{0};  ///< overlayfs refused, and a copy stands in (MountOverlay)
  std::atomic<std::uint32_t> payload_ended{0};
  std::atomic<std::int32_t> payload_status{0};     ///< waitpid(2) form, valid once payload_ended
  std::atomic<std::uint64_t> payload_cpu_us{0};    ///< its own and its reaped children's, as well
  SharedCpuTime payload_setup;                     ///< its process's, before it is the command's
  std::atomic<std::uint64_t> payload_setup_ns{0};  ///< when that was read, by the payload's clock
  SharedCpuTime payload_ungrouped;                 ///< of that, what no group of v1 has counted
  SharedCpuTime init_own;               ///< init's, when it releases the payload, and at its end
  SharedCpuTime init_reaped;            ///< all that init has waited for: valid once `alone`
  std::atomic<std::uint32_t> alone{0};  ///< when the payload ended, nobody else was left
  std::atomic<std::uint32_t> stops{0};  ///< how often init has stopped the tree (SIGTSTP)
};

static_assert(std::atomic<FailureRecord>::is_always_lock_free);

}  // namespace sbx::launch
