// This user's live runs, as the verbs see them that list and steer them: found by their sockets,
// asked all at once.
#pragma once

#include <chrono>
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
  /// The live run whose id is `word`, or the only one whose id begins or ends with it.
  [[nodiscard]] Result<supervise::RunFile> find(std::string_view word) const;
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
