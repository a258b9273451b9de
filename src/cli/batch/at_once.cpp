#include "cli/batch/at_once.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

namespace sbx::cli::batch {
namespace {

/// Of each live job: its process, its result, and the way to it.
constexpr ::rlim_t kFilesOfJob = 3;
/// Standard streams, jobs, results, signals; and two for a moment, while a process is made.
constexpr ::rlim_t kFilesOfOurs = 8;

/// What --jobs cannot speed up; empty: all of them, or there is nothing to speed up.
std::string lonely_jobs(const JobList& list, const std::vector<std::uint32_t>& waiting) {
  const auto alone = std::ranges::count_if(waiting, [&](std::uint32_t job) {
    return list.jobs[job].need.memory == sbx::batch::kAllMemory;
  });
  if (alone == 0) return {};
  return std::to_string(alone) + " of " + std::to_string(waiting.size()) +
         " jobs have no limits.memory, and each of them runs alone, whatever --jobs says";
}

/// The same of jobs that publish the same port of the host.
std::string jobs_in_turn(const JobList& list, const std::vector<std::uint32_t>& waiting) {
  std::uint64_t once = 0;
  std::uint64_t again = 0;
  std::size_t count = 0;
  for (const std::uint32_t job : waiting) {
    const std::uint64_t ports = list.jobs[job].need.ports;
    again |= once & ports;
    once |= ports;
    if (ports != 0) ++count;
  }
  if (again == 0) return {};
  return std::to_string(count) + " of " + std::to_string(waiting.size()) +
         " jobs publish a port (network.publish), and those with the same one run in turn, "
         "whatever --jobs says";
}

}  // namespace

std::size_t open_files_for(std::size_t jobs) {
  ::rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return jobs;
  const ::rlim_t most = static_cast<::rlim_t>(kLivePerPlace * jobs) * kFilesOfJob + kFilesOfOurs;
  const ::rlimit wanted{std::min(most, limit.rlim_max), limit.rlim_max};
  if (wanted.rlim_cur > limit.rlim_cur && ::setrlimit(RLIMIT_NOFILE, &wanted) == 0) limit = wanted;
  const ::rlim_t left = limit.rlim_cur - std::min(limit.rlim_cur, kFilesOfOurs);
  return std::max<std::size_t>(1, left / kFilesOfJob);
}

std::vector<std::string> held_up(const JobList& list, const std::vector<std::uint32_t>& waiting,
                                 std::size_t at_once, std::size_t by_files) {
  std::vector<std::string> found;
  const std::size_t most = std::min(at_once, waiting.size());
  if (most < 2) return found;
  if (by_files < most)
    found.push_back("the limit of open files (ulimit -Hn) is enough for " +
                    std::to_string(by_files) + " jobs at once, whatever --jobs says");
  for (const auto told : {lonely_jobs, jobs_in_turn})
    if (std::string text = told(list, waiting); !text.empty()) found.push_back(std::move(text));
  return found;
}

}  // namespace sbx::cli::batch
