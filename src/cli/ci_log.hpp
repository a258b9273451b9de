// `sbx run --ci`: how a run shows in the log of the CI service that it finds itself in. Pure.
//
// GitHub's runner obeys lines of a log that begin with "::" or hold "##[", whoever wrote them: a
// payload could set what later steps see. It is told to stop that while the command runs, until it
// reads a word that only we know. That takes one stream; two would race.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

namespace sbx::cli {

enum class CiService { plain, github, gitlab };

/// Those that fold and annotate by what their environment says of them; any other gets plain lines.
/// `variable`: the value of an environment variable; empty: not set.
CiService find_ci(const std::function<std::string(const char*)>& variable);

enum class CiLevel { notice, warning, error };

class CiLog {
 public:
  using Time = std::chrono::system_clock::time_point;

  /// `word`: nobody can guess it; of letters and digits.
  CiLog(CiService service, std::string word) : service_(service), word_(std::move(word)) {}

  /// Both streams have to be one, and the runner obeys what stands in it.
  [[nodiscard]] bool needs_one_stream() const { return service_ == CiService::github; }
  /// Before the output of the command, which folds below `title`.
  [[nodiscard]] std::string opening(std::string_view title, Time now) const;
  /// Behind it. Begins on a line of its own, whatever the command wrote last.
  [[nodiscard]] std::string closing(Time now) const;
  /// One line (with its end) for `text`, at the place where such are shown; empty: the service has
  /// none, and an ordinary line is all there is.
  [[nodiscard]] std::string annotation(CiLevel level, std::string_view title,
                                       std::string_view text) const;

 private:
  CiService service_;
  std::string word_;
};

}  // namespace sbx::cli
