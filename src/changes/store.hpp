// The kept changes of runs: one folder a run below the user's state folder, with the manifest and
// the contents by number. A folder that is being filled has a name that starts with a dot and is
// locked; it gets its real name once it is complete, so that it is complete or absent.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "changes/change.hpp"
#include "os/fd.hpp"

namespace sbx::changes {

/// A run's folder that is being filled. Goes, with what is in it, unless it is committed.
class Staging {
 public:
  Staging(Staging&& other) noexcept;
  Staging& operator=(Staging&&) = delete;
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging();

  /// Opens a new file for the content `number`.
  [[nodiscard]] SysResult<os::UniqueFd> create_object(std::uint64_t number) const;
  void remove_object(std::uint64_t number) const;
  /// Gives its folder the time that what is changed now gets; returns it, in ns since the epoch.
  [[nodiscard]] SysResult<std::int64_t> touch() const;
  /// Writes the manifest, and gives the folder its name.
  SysResult<void> commit(const ChangeSet& set);

 private:
  friend class Store;
  Staging(int store, std::string run, os::UniqueFd folder)
      : store_(store), run_(std::move(run)), folder_(std::move(folder)) {}

  int store_;
  std::string run_;
  os::UniqueFd folder_;
  bool committed_ = false;
};

/// A complete one.
struct KeptRun {
  std::string run;
  os::UniqueFd folder;

  /// For who only looks on: nobody waits for it any more, and what is discarded meanwhile is gone.
  void unlock() const;
};

class Store {
 public:
  /// `make`: when it is not there. Else no folder is no error: nothing is kept.
  static Result<Store> open(bool make);
  /// Removes what killed runs have left, unless another run is about to.
  static void remove_leftovers();

  /// A folder for `run`. Removes what killed runs have left of theirs, there and in workspaces.
  Result<Staging> stage(const std::string& run);
  /// The ids of all kept runs; they begin with the second of the run's start. Errors: they cannot
  /// be listed, which is not the same as none.
  [[nodiscard]] Result<std::vector<std::string>> runs() const;
  /// Does what is written about a kept run have `text` somewhere? Nobody's lock is waited for, and
  /// nothing is parsed: for choosing few of many.
  [[nodiscard]] bool mentions(const std::string& run, std::string_view text) const;
  /// The run whose id is `word`, or the only one whose id begins or ends with it, locked: nobody
  /// applies or discards it meanwhile, and to `change` it nobody looks at it either. Waits for
  /// whoever does.
  enum class Use { look, change };
  [[nodiscard]] Result<KeptRun> find(std::string_view word, Use use) const;
  /// Removes a run and all that is kept of it.
  [[nodiscard]] SysResult<void> remove(const KeptRun& kept) const;

 private:
  void sweep() const;

  std::string path_;
  os::UniqueFd folder_;
};

/// What a kept run's folder says has changed.
Result<ChangeSet> read_changes(const KeptRun& kept);
/// The content `number` of a kept run.
SysResult<os::UniqueFd> open_object(const KeptRun& kept, std::uint64_t number);

}  // namespace sbx::changes
