// Looks at calls for `sbx learn`: which were denied and could be allowed, which paths they name.
#pragma once

#include <linux/filter.h>

#include <string>
#include <utility>
#include <vector>

#include "os/seccomp_notify.hpp"
#include "plan/plan.hpp"
#include "supervise/observations.hpp"

namespace sbx::supervise {

class Learner {
 public:
  void start(const plan::Plan& plan);
  [[nodiscard]] bool learns() const { return plan_ != nullptr; }

  /// A call that the policy allows; to be let through.
  void saw_allowed(const os::SeccompNotice& notice, const os::SeccompListener& listener);
  /// A call that the policy denies; true: it may be let through.
  bool saw_denied(const os::SeccompNotice& notice, const std::string& comm);

  [[nodiscard]] Observations take() { return std::move(seen_); }

 private:
  static constexpr std::size_t kMostPaths = 10'000;
  static constexpr std::size_t kMostBytes = 2U << 20U;  ///< of all of them together
  static constexpr std::size_t kMostCalls = 200;

  bool note_need(const os::SeccompNotice& notice, const std::string& comm, bool given);
  void add_path(std::string path, bool changes, pid_t thread);
  void add_call(const os::SeccompNotice& notice);

  const plan::Plan* plan_ = nullptr;
  seccomp::Request opened_;           ///< the policy with all that was let through so far
  std::vector<sock_filter> program_;  ///< the same, compiled; empty: nothing was let through yet
  Observations seen_;
  std::size_t bytes_ = 0;
  pid_t first_ = 0;     ///< the first thread that was heard
  bool forks_ = false;  ///< and it has not stayed the only one
  bool reads_ = false;  ///< the payload's memory
  bool full_ = false;   ///< no more paths are taken
};

}  // namespace sbx::supervise
