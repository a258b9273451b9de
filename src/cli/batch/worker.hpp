// The process of one job: forked, not executed, so that profiles, filters and libraries are there
// already. It is a supervisor like that of `sbx run`, and ends with its run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/batch/job_list.hpp"
#include "cli/batch/policies.hpp"
#include "supervise/outcome.hpp"

namespace sbx::cli::batch {

/// What the process of a job is given beside what it inherits.
struct Task {
  const JobList* list = nullptr;
  Policies* policies = nullptr;
  const Entry* entry = nullptr;
  std::size_t attempt = 1;
  int result = -1;          ///< an empty file in memory, for the job's line but for its last byte
  int coordinator_fd = -1;  ///< a byte from there is the job's turn, one back its end
  std::string lost;         ///< not empty: nothing is run, and the result says so
  pid_t coordinator = 0;    ///< this process must not outlive it
  bool alone = true;        ///< nobody else's end makes room for this job
};

/// What it tells the coordinator meanwhile.
inline constexpr char kCommandEnded = 'c';  ///< and what it has left is being ended
inline constexpr char kTreeEnded = 't';     ///< nothing of the command lives any more

/// How such a process ends; beneath these, its code is the status of its result, and kStatuses more
/// where something that was to be kept or applied was not.
inline constexpr int kResultLost = 100;   ///< there is no result, because it could not be kept
inline constexpr int kJobsChanged = 101;  ///< there is no result, because the jobs are others now
/// The job has done nothing yet: there was no process, descriptor or memory left for its sandbox,
/// and others that end will leave some.
inline constexpr int kNoRoom = 102;

/// Is `error` (errno) one of those that go when somebody else ends?
bool is_want_of_room(int error);

/// Runs the job in this process, leaves its result, and ends.
[[noreturn]] void work(const Task& task) noexcept;

}  // namespace sbx::cli::batch
