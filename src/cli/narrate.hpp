// What a run says beside the command's own output: to a person on standard error, with --ci to the
// log of a CI service as well.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "cli/ci_log.hpp"
#include "plan/plan.hpp"
#include "supervise/outcome.hpp"

namespace sbx::cli {

/// One line for everything that a run goes without; empty: nothing.
std::string degraded_text(const plan::Plan& plan);

class Narrator {
 public:
  /// `ci`: the log of a CI service is written, of the kind that the environment names.
  static Result<Narrator> make(bool ci);

  /// With --ci standard error goes where standard output does, if the service wants one stream.
  [[nodiscard]] Result<void> join_streams() const;
  /// What the run goes without. With --ci the output folds from here on. Errors: the line for that
  /// cannot be written, after which the service would obey what the command prints.
  Result<void> before(const plan::Plan& plan, const supervise::Redactor& redactor);
  /// A run that did not get as far has not been told of before.
  void after(const plan::Plan& plan, const supervise::Outcome& outcome) const;

  void error(std::string_view title, std::string_view text) const;
  void warning(std::string_view text) const;

 private:
  void lacks(const plan::Plan& plan, const supervise::Redactor& redactor) const;
  void tell(CiLevel level, std::string_view title, std::string_view text) const;
  void end(const plan::Plan& plan, const supervise::Outcome& outcome) const;
  void blocked(const plan::Plan& plan, const supervise::Outcome& outcome) const;

  std::optional<CiLog> ci_{};
  bool begun_ = false;
};

}  // namespace sbx::cli
