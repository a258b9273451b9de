// The artifacts of one session: collected out of its workspace, or kept by its runs, and given to
// the client as resources. Of the user's store the client sees these and no others.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "artifacts/artifact.hpp"
#include "artifacts/collect.hpp"
#include "mcp/answer.hpp"
#include "mcp/workspace.hpp"
#include "profile/profile.hpp"
#include "supervise/outcome.hpp"

namespace sbx::mcp {

class KeptFiles {
 public:
  /// Of the whole session; what a client collects stays on the disk.
  KeptFiles(const profile::Artifacts& bounds, std::string profile, supervise::Redactor redactor)
      : bounds_(bounds), profile_(std::move(profile)), redactor_(std::move(redactor)) {}

  /// The tool collect_artifacts. `run`: a fresh name, as of a run.
  Answer collect(const Json& arguments, const Workspace& workspace, const std::string& run);

  /// What a run of this session has kept by itself (`artifacts` of its result): as the output
  /// schema has them.
  Json take(const Json& artifacts);
  /// What collect() or take() has told in a copy of this process.
  void know(const Json& artifacts);
  /// Shows images of `artifacts` (take()), and links to all.
  void show(const Json& artifacts, Answer& answer) const;

  /// The result of resources/list. `cursor`: "" at first. nullopt: it is none of ours.
  [[nodiscard]] std::optional<Json> list(std::string_view cursor) const;
  /// The result of resources/read.
  [[nodiscard]] std::expected<Json, Refusal> read(const std::string& uri) const;
  static Json templates();

 private:
  struct Known {
    std::string path;
    std::uint64_t bytes = 0;
    std::string media_type;
    std::string sha256;
  };
  void know_one(Known known);
  Json note(const artifacts::Artifact& artifact);
  void mask(artifacts::Wish& wish) const;
  [[nodiscard]] Result<std::string> content(const Known& known) const;

  profile::Artifacts bounds_;
  std::string profile_;
  supervise::Redactor redactor_;
  std::vector<Known> known_{};    ///< in the order of their keeping
  std::set<std::string> seen_{};  ///< digest and path of each
  std::uint64_t used_ = 0;
};

}  // namespace sbx::mcp
