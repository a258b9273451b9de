// Looking at files with somebody else's rights: what a root supervisor reads for a payload must be
// what the payload could have read itself.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "os/ids.hpp"

namespace sbx::os {

/// With whose rights files in `folder` are used when a command may use them, too: started by root,
/// with its owner's, as whom a run's payload appears there. nullopt: with our own.
SysResult<std::optional<Ids>> rights_in(int folder) noexcept;

/// From take() on files are opened and made as `ids` (no other groups), and without any capability;
/// from give_back() or destruction on as ourselves again. Without `ids` only the capabilities go.
/// Of this thread alone, and there is one. What is open already stays usable.
class BorrowedRights {
 public:
  explicit BorrowedRights(std::optional<Ids> ids) noexcept : ids_(ids) {}
  BorrowedRights(const BorrowedRights&) = delete;
  BorrowedRights& operator=(const BorrowedRights&) = delete;
  /// Ends the process when our own rights cannot be had back: nothing of a run works without.
  ~BorrowedRights();

  /// Error: they are not borrowed, and nothing is to be opened.
  SysResult<void> take();
  /// Ourselves again.
  void give_back() noexcept;

 private:
  /// The effective set, of capget(2).
  struct Effective {
    std::uint32_t low = 0, high = 0;
  };
  static SysResult<Effective> effective() noexcept;
  static SysResult<void> set_effective(Effective wanted) noexcept;
  SysResult<void> become() noexcept;

  std::optional<Ids> ids_;
  std::vector<gid_t> groups_{};
  Ids own_ids_{};
  Effective own_{};
  bool taken_ = false;
};

}  // namespace sbx::os
