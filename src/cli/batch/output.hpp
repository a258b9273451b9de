// Where a batch's results go: whole lines, of which at most the last can be torn when the host or
// sbx ends in the middle.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "batch/journal.hpp"
#include "os/fd.hpp"

namespace sbx::cli::batch {

class Output {
 public:
  /// `target`: FILE, made if it is not there and locked while this lives; fd:N, a descriptor of the
  /// caller's; empty or "-": standard output. A FIFO gets 5 seconds to find its reader. A link of
  /// the system's to one, such as /dev/stdout, is followed. `resume`: it may have results already.
  /// Errors: it is another batch's right now, has something in it, or cannot be written.
  static Result<Output> open(const std::string& target, bool resume);

  /// Calls `take` with each line that FILE has, in order, and drops a last one without an end.
  /// Errors: of `take`, or a line that is none; with its place.
  Result<void> read_back(const std::function<Result<void>(const sbx::batch::Written&)>& take);

  /// Looked at while a reader does not read.
  struct Interrupt {
    int fd;                            ///< readable: ask
    std::function<bool()> is_the_end;  ///< give up?
  };
  /// One line, in two parts. Errors: nothing of it is in a file, be it one that standard output is.
  /// EINTR: `interrupt` said so.
  SysResult<void> append(std::string_view line, std::string_view tail, const Interrupt& interrupt);
  /// What is there when append() has failed, and what to do then, for a hint.
  [[nodiscard]] std::string after_failure() const;
  /// Can a batch be resumed with it?
  [[nodiscard]] bool resumable() const { return named_; }
  /// Until the lines are on the disk, where there is one.
  SysResult<void> flush();
  [[nodiscard]] const std::string& name() const { return target_; }
  /// For a process that has nothing to write here.
  void close() { file_.reset(); }

 private:
  [[nodiscard]] int fd() const;

  std::string target_;
  os::UniqueFd file_;     ///< invalid: standard output
  bool regular_ = false;  ///< it can be made shorter again
  bool named_ = false;    ///< and the same command finds it again
};

}  // namespace sbx::cli::batch
