// What a result object tells, for the page. Pure. Whatever is missing or of another type is not
// there: a result of another version is shown as far as it goes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace sbx::report {

struct StreamFacts {
  std::optional<std::string> text{};  ///< any bytes
  std::optional<std::uint64_t> bytes{};
  bool truncated = false;
};

struct DenialFacts {
  std::string operation{}, target{}, comm{}, allow_with{};
  std::uint64_t count = 0;
  bool passed = false;
};

struct ChangesFacts {
  std::uint64_t added = 0, modified = 0, deleted = 0, bytes = 0;
  std::string run{};
  bool applied = false;
};

struct IsolationFacts {
  std::string tier{}, cgroup{}, seccomp{}, user{};
  std::optional<std::uint64_t> landlock_abi{};
  std::vector<std::string> namespaces{}, enforced{}, degraded{}, approximate{};
};

struct Redaction {
  std::string secret{};
  std::uint64_t count = 0;
};

struct Facts {
  std::string id{}, profile{}, status{}, phase{}, started_at{}, network{};
  std::string reason{}, reason_limit{}, reason_observed{};
  std::vector<std::string> argv{};
  std::optional<std::int64_t> exit_code{}, signal{};
  std::optional<double> wall_ms{}, setup_ms{}, cpu_user{}, cpu_system{}, cpu_throttled{};
  std::optional<std::uint64_t> memory_peak{}, memory_limit{}, oom_kills{};
  std::optional<std::uint64_t> pids_peak{}, pids_limit_hits{}, io_read{}, io_write{};
  StreamFacts out{}, err{};
  std::optional<std::vector<DenialFacts>> denials{};  ///< nullopt: nobody could listen
  std::optional<ChangesFacts> changes{};
  std::vector<Redaction> redactions{};
  IsolationFacts isolation{};
  std::vector<std::string> warnings{};
};

/// Fails when `result` is no JSON object.
Result<Facts> read_facts(std::string_view result);

}  // namespace sbx::report
