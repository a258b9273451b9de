// The effective profiles of a batch. Each is read, checked and looked up on the host once, by the
// coordinator; the processes of its jobs inherit it.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/cgroup_home.hpp"
#include "batch/admission.hpp"
#include "batch/job.hpp"
#include "batch/journal.hpp"
#include "cli/arguments.hpp"
#include "cli/prepare.hpp"

namespace sbx::cli::batch {

/// What one job is to have of a policy: its files and its standard input are put into the profile.
/// Errors: they do not go together.
std::expected<void, profile::Problems> add_job(const sbx::batch::Job& job, const std::string& cwd,
                                               profile::Profile& profile);

/// The invocation of a run whose output and result are captured.
plan::Invocation invocation_of(const sbx::batch::Job& job, const std::string& run_id);

class Policies {
 public:
  /// `number` of one that is not kept: there are too many.
  static constexpr std::uint32_t kNotKept = ~std::uint32_t{0};

  Policies(const Arguments& arguments, Caller caller);

  struct Found {
    std::uint32_t number = kNotKept;
    sbx::batch::Digest profile{};  ///< of all that its effective profile is made of
    sbx::batch::Need need{};
    std::optional<Error> input{};  ///< why its standard input cannot be opened now
    bool ahead = true;  ///< its sandbox may be made ahead: it holds little until the command runs
  };
  /// The policy of `job`, whose line has `length` bytes, read now if no job before had it; all that
  /// is wrong with the two. From the first one with secrets on nobody else may look into this
  /// process (os::close_memory): what they come from is in its environment to the end.
  std::expected<Found, profile::Problems> find(const sbx::batch::Job& job, std::size_t length);
  /// The same for the process of the job alone, which may change it: the policy `number`, or, if
  /// that is kNotKept, what is read now. Errors: that is not what was checked (`profile`, as it was
  /// found), so that no job can give another one a sandbox that nobody has seen.
  std::expected<Grounds, profile::Problems> take(std::uint32_t number,
                                                 const sbx::batch::Digest& profile,
                                                 const sbx::batch::Job& job);

  /// For the process of one job, when it has what is its own: no variable that any job's secrets
  /// come from is left in the environment, nor in a copy of it that a policy or `own` has.
  void forget_secrets(Grounds& own);

  [[nodiscard]] std::size_t size() const { return kept_.size(); }
  /// No job can tell whether another has been there: none writes to the host or listens on it.
  [[nodiscard]] bool independent() const { return independent_; }
  /// The v2 group that holds nobody but us, where jobs are to have theirs (CgroupWay::leaf), if
  /// that is where they are to have them.
  [[nodiscard]] const std::optional<CgroupHome>& own_group() const { return own_group_; }
  /// What jobs go without on this host, a line each.
  [[nodiscard]] const std::set<std::string>& degraded() const { return degraded_; }
  [[nodiscard]] const std::string& cwd() const { return caller_.cwd; }

  /// Of its profile.
  [[nodiscard]] std::string name_of(const sbx::batch::Job& job) const;

 private:
  std::expected<Grounds, profile::Problems> load(const sbx::batch::Job& job) const;
  std::uint64_t ports_of(const profile::Profile& profile);
  std::expected<void, profile::Problems> guard_secrets(const profile::Profile& profile);
  std::expected<void, profile::Problems> try_plan(const sbx::batch::Job& job,
                                                  const Grounds& grounds);

  const Arguments& arguments_;
  Caller caller_;
  /// Has a plan been made of a job with its own files, and of one without: their workspaces differ.
  struct Tried {
    bool with_files = false;
    bool without = false;
    bool& of(const sbx::batch::Job& job) { return job.files.empty() ? without : with_files; }
  };

  std::vector<Grounds> kept_;
  std::vector<Tried> tried_;  ///< of each in kept_
  std::map<std::string, std::uint32_t> numbers_;
  std::map<std::uint16_t, std::size_t> ports_;  ///< of the host that jobs publish, numbered
  std::set<std::string> degraded_;
  std::set<std::string> secret_variables_;
  std::optional<CgroupHome> own_group_;
  bool independent_ = true;
};

}  // namespace sbx::cli::batch
