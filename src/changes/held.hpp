// Something in the workspace, held by a descriptor: whoever may write there can give its name to
// something else at any moment, and root must not hand that over.
#pragma once

#include <sys/stat.h>

#include <string>

#include "base/error.hpp"
#include "base/fixed_text.hpp"
#include "changes/change.hpp"
#include "os/fd.hpp"

namespace sbx::changes {

class Held {
 public:
  /// As O_PATH: also what may not be read, and never what a link leads to.
  static SysResult<Held> open(int folder, const std::string& name);
  explicit Held(os::UniqueFd fd);

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] SysResult<struct ::stat> look() const;
  /// Is it still what is called so? EBUSY: it is not.
  [[nodiscard]] SysResult<void> check_at(int folder, const std::string& name) const;

  /// ELOOP: it is a link, which has none.
  [[nodiscard]] SysResult<void> set_mode(unsigned mode) const;
  /// Makes the user.* attributes of a file or folder that can be read those of `entry`. EPERM: one
  /// is for overlays.
  [[nodiscard]] SysResult<void> set_attributes(const Entry& entry) const;
  /// Gives a new file the access list (acl(5)) of the one whose place it takes, or none.
  [[nodiscard]] SysResult<void> take_access_list(const Held& old) const;

 private:
  os::UniqueFd fd_;
  /// The only name for what O_PATH gives that chmod(2) and setxattr(2) take (fchmodat2(2) came with
  /// Linux 6.6).
  FixedText<32> path_;
};

}  // namespace sbx::changes
