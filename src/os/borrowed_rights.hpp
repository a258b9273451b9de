// Looking at files with somebody else's rights: what a root supervisor reads for a payload must be
// what the payload could have read itself.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.hpp"

namespace sbx::os {

/// From construction on files are opened as `id` (uid and gid, no other groups), and without any
/// capability; from destruction on as ourselves again. Without `id` only the capabilities go. Of
/// this thread alone, and there is one. What is open already stays usable.
class BorrowedRights {
 public:
  explicit BorrowedRights(std::optional<std::uint32_t> id) noexcept : id_(id) {}
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

  std::optional<std::uint32_t> id_;
  std::vector<gid_t> groups_{};
  uid_t uid_ = 0;
  gid_t gid_ = 0;
  Effective own_{};
  bool taken_ = false;
};

}  // namespace sbx::os
