// One job of `sbx batch`: what its line says, checked as far as that goes without a profile or a
// host. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "profile/load.hpp"

namespace sbx::batch {

inline constexpr std::size_t kLongestLine = std::size_t{16} << 20U;
inline constexpr std::size_t kLongestId = 256;
inline constexpr std::size_t kMostFiles = 1000;

struct JobInput {
  enum class Kind { none, bytes, file };
  Kind kind = Kind::none;
  std::string text{};  ///< the bytes, or the host's file (relative: to the caller's folder)
};

/// A file of the job's own workspace.
struct JobFile {
  std::string path;  ///< relative, without "." and ".."
  std::string content;
  unsigned perm = 0644;
};

struct Job {
  std::string id;                 ///< as written, or the number of the line
  std::vector<std::string> argv;  ///< empty: the profile's own command
  std::string profile;            ///< empty: what the command line says
  std::vector<profile::Override> overrides{};
  JobInput input{};
  std::vector<JobFile> files{};

  /// Two jobs with the same have the same effective profile.
  [[nodiscard]] std::string policy() const;
};

/// Every problem of a line; each has the kind usage or profile and `where`.
std::expected<Job, profile::Problems> read_job(std::string_view line, std::size_t number,
                                               const std::string& where);

/// The id of a line's job, whatever else is wrong with the line; nothing where that cannot be told.
std::optional<std::string> id_of(std::string_view line, std::size_t number);

/// JSON Schema (2020-12) of one line, as text.
std::string job_schema();

}  // namespace sbx::batch
