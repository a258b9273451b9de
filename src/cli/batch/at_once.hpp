// How many jobs a batch has at once: what keeps them from being as many as --jobs says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/batch/job_list.hpp"

namespace sbx::cli::batch {

/// Processes of jobs for each job that may run: one waits, one runs, some end.
inline constexpr std::size_t kLivePerPlace = 4;

/// Raises our limit on open files as far as `jobs` at once, and those made ahead of them, need it.
/// Returns for how many there is room now.
std::size_t open_files_for(std::size_t jobs);

/// Sentences for whoever has asked for `at_once` jobs and will have fewer. `by_files`: for so many
/// there are open files.
std::vector<std::string> held_up(const JobList& list, const std::vector<std::uint32_t>& waiting,
                                 std::size_t at_once, std::size_t by_files);

}  // namespace sbx::cli::batch
