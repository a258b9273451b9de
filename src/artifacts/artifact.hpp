// What is kept of a run that collects artifacts. Pure data.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sbx::artifacts {

using Time = std::chrono::sys_time<std::chrono::milliseconds>;

inline constexpr const char* kUnknownType = "application/octet-stream";

struct Artifact {
  std::string path{};  ///< absolute, inside the sandbox; any bytes but 0
  std::uint64_t bytes = 0;
  std::string sha256{};  ///< of its content, 64 hex digits
  std::string media_type = kUnknownType;
};

/// A run, as its artifacts' list shows it.
struct Run {
  std::string id{};
  std::string profile{};
  std::vector<std::string> argv{};
  std::string status{};
  Time ended_at{};
  std::optional<Time> expires_at{};  ///< nullopt: it stays until somebody removes it
};

/// A kept one. All of a run share what is said of it: its command may be of megabytes.
struct Kept {
  std::shared_ptr<const Run> run;
  Artifact artifact;
};

/// What is kept of a run beside its files, for its report.
struct Story {
  std::string result{};  ///< the result object, as it was given to the caller
  /// A JSON object: `limits`, and `samples`, what it used from time to time as `usage` events tell.
  std::string usage{};
};

}  // namespace sbx::artifacts
