// The artifacts of runs, one store a user, shared by all of their runs: an index, the contents each
// once, and a folder for each run that is being stored. What a killed run leaves of that is swept
// by the next, with contents that got their name already and that no run has.
//
// One lock, a file of the store: whoever changes something holds it alone, for as short as it takes
// to name what lies there complete; whoever looks shares it. So nothing that is being looked at or
// referred to can be removed meanwhile.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "artifacts/artifact.hpp"
#include "artifacts/index.hpp"
#include "artifacts/objects.hpp"
#include "os/fd.hpp"

namespace sbx::artifacts {

/// Where the store is.
struct Place {
  std::string path{};
  os::UniqueFd folder{};
  os::UniqueFd lock{};  ///< the file
};

enum class Use { look, change };

/// The store, locked while this lives.
class Opened {
 public:
  static Result<Opened> open(std::shared_ptr<const Place> place, Use use);
  Opened(Opened&& other) noexcept = default;
  Opened& operator=(Opened&&) = delete;
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  ~Opened();

  [[nodiscard]] Index& index() { return index_; }
  [[nodiscard]] const Objects& objects() const { return objects_; }
  /// The run whose id is `word`, or the only one whose id begins or ends with it.
  [[nodiscard]] Result<Run> find(std::string_view word) const;
  /// Removes runs and what only they have; never half of it that could be seen.
  Result<void> remove(const std::vector<std::string>& runs);
  /// Removes what killed runs have left. Only for Use::change.
  Result<void> sweep();
  /// Of one folder of theirs; nobody writes there any more.
  Result<void> settle(int staging, const std::string& name, int folder);

 private:
  Opened(std::shared_ptr<const Place> place, Index index, Objects objects)
      : place_(std::move(place)), index_(std::move(index)), objects_(std::move(objects)) {}

  std::shared_ptr<const Place> place_;
  Index index_;
  Objects objects_;
};

class Store {
 public:
  /// `make`: when it is not there. Else no store is no error: nothing is kept.
  static Result<Store> open(bool make);
  /// False: nothing was ever kept.
  [[nodiscard]] bool exists() const { return place_ != nullptr; }
  [[nodiscard]] const std::shared_ptr<const Place>& place() const { return place_; }
  [[nodiscard]] Result<Opened> opened(Use use) const { return Opened::open(place_, use); }

 private:
  std::shared_ptr<const Place> place_;
};

/// "cannot ...", with where the store has to be.
Error store_error(std::string what, int error);
Error no_such_run(std::string_view word);

}  // namespace sbx::artifacts
