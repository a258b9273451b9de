// All jobs of a batch, every line of which has been checked; what they say stays in the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "batch/journal.hpp"
#include "cli/batch/policies.hpp"
#include "os/fd.hpp"

namespace sbx::cli::batch {

/// Where a job stands, and what it needs: some 120 bytes, were there a million of them.
struct Entry {
  std::uint64_t offset = 0;
  std::uint32_t length = 0;
  std::uint32_t line = 0;  ///< counts from 1
  std::uint32_t policy = Policies::kNotKept;
  sbx::batch::Digest digest{};   ///< of the line
  sbx::batch::Digest id{};       ///< of the job's id
  sbx::batch::Digest profile{};  ///< see Policies::Found
  sbx::batch::Need need{};
  bool ahead = true;  ///< see Policies::Found
};

struct JobList {
  std::string name;   ///< for messages
  os::UniqueFd file;  ///< regular, and nobody else's when it came through a pipe
  std::vector<Entry> jobs;
};

/// Opens the file at `path` ("-": standard input); what is no regular file is read to its end now,
/// into a file without a name.
Result<JobList> open_jobs(const std::string& path);

/// Reads and checks all lines; the first problems, when there are some. `total`: memory and cores
/// that one job can have at all.
std::expected<void, profile::Problems> check_jobs(JobList& list, Policies& policies,
                                                  const sbx::batch::Capacity& total);

/// The line of `entry`, as it was checked. Errors: somebody has changed the file.
Result<std::string> line_of(const JobList& list, const Entry& entry);

}  // namespace sbx::cli::batch
