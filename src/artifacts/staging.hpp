// What one run is putting into the store: copied and digested first, without anybody waiting, then
// named all at once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "artifacts/artifact.hpp"
#include "artifacts/store.hpp"
#include "os/fd.hpp"

namespace sbx::artifacts {

/// Takes a text piece by piece, and appends what is kept of it; `last`: no more comes.
using TextFilter = std::function<void(std::string_view piece, bool last, std::string& out)>;

/// A file that was copied.
struct Copied {
  std::uint64_t bytes = 0;
  std::string sha256{};
  std::string head{};  ///< its first bytes, by which its type is told
};

/// Why a file was not copied. `of_store`: the store cannot take it; else the file cannot be read,
/// EFBIG when it is longer than it may be.
struct CopyFailure {
  bool of_store = false;
  int error = 0;
};

class Staging {
 public:
  /// A folder for `run` in the store, which is made when there is none; what killed runs have left
  /// is removed. Error: nothing could be kept, so the run is not to begin.
  static Result<Staging> make(const std::string& run);
  Staging(Staging&&) noexcept = default;
  Staging& operator=(Staging&&) = delete;
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  /// What is not committed goes.
  ~Staging();

  /// Removes what killed runs have left, if there is a store. What cannot be removed stays.
  static void remove_leftovers();

  /// Copies the file open at `fd`, from its beginning, unless it is longer than `most`. `filter`
  /// (may be empty): what becomes of a text, which is what has no NUL in its beginning. `ended`
  /// (likewise): asked before each piece, to give up with EINTR.
  std::expected<Copied, CopyFailure> copy(int fd, std::uint64_t most, const TextFilter& filter,
                                          const std::function<bool()>& ended = {});
  /// All that is in `artifacts` was copied. Removes some runs whose time is over, too.
  Result<void> commit(const Run& run, const Story& story, const std::vector<Artifact>& artifacts);

 private:
  Staging(std::shared_ptr<const Place> place, std::string name)
      : place_(std::move(place)), name_(std::move(name)) {}
  Result<void> give_places(Opened& store, const std::vector<Artifact>& artifacts) const;
  Result<void> clear(Opened& store);
  /// Is there such a content already, and is it not what its name says?
  [[nodiscard]] bool damaged(const std::string& digest) const;

  std::shared_ptr<const Place> place_;
  std::string name_;
  os::UniqueFd parent_{};
  os::UniqueFd folder_{};
  os::UniqueFd lock_{};
  std::uint64_t made_ = 0;
  std::set<std::string> damaged_{};  ///< contents that are to be replaced
};

}  // namespace sbx::artifacts
