// This user's live runs, as the verbs see them that list and steer them: found by their sockets,
// asked all at once.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "os/fd.hpp"
#include "supervise/control_protocol.hpp"
#include "supervise/registry.hpp"

namespace sbx::cli {

/// What came of a question to one run.
struct Reply {
  enum class Kind {
    accepted,
    refused,  ///< `text` says why
    ended,    ///< the run has, before it answered
    silent,   ///< nothing came in time: its supervisor is stopped, or very slow
  };
  Kind kind = Kind::silent;
  std::string run;   ///< its id
  std::string text;  ///< accepted: the JSON of the run, if that was asked for
};

class LiveRuns {
 public:
  /// Opens the registry and removes what dead runs left in it. No registry is no error: nobody
  /// runs.
  static Result<LiveRuns> open();

  /// The files of all runs; some may have ended.
  [[nodiscard]] std::vector<supervise::RunFile> all() const;
  /// The live run whose id is `word`, or the only one that was given that name or whose id begins
  /// or ends with it; no word can be both (supervise/registry.hpp).
  [[nodiscard]] Result<supervise::RunFile> find(std::string_view word) const;
  /// A live run that was given this name.
  [[nodiscard]] std::optional<supervise::RunFile> named(std::string_view name) const;
  /// Puts one question to some runs, and gives them all `patience` together. In their order.
  [[nodiscard]] std::vector<Reply> ask(std::span<const supervise::RunFile> runs,
                                       const supervise::Request& request,
                                       std::chrono::milliseconds patience) const;

 private:
  [[nodiscard]] bool is_alive(const supervise::RunFile& run) const;
  [[nodiscard]] SysResult<os::UniqueFd> connect(const supervise::RunFile& run) const;

  os::UniqueFd folder_;
};

}  // namespace sbx::cli
