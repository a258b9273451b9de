// The listener of a seccomp filter (seccomp_unotify(2)): receives the calls that the filter hands
// over, and answers them. Whoever made one waits in the kernel until then, or until it is killed.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

/// Installs `program` for the calling process (which has no_new_privs).
SysResult<void> install_filter(std::span<const sock_filter> program) noexcept;
/// The same, and the listener of it. EBUSY: a filter of this process has one already, such as an
/// outer sandbox's; EINVAL: Linux before 5.0.
/// `patient`: a signal does not interrupt a call that the listener has received (Linux 5.19; before
/// that it does all the same).
SysResult<UniqueFd> install_filter_with_listener(std::span<const sock_filter> program,
                                                 bool patient = false) noexcept;

struct SeccompNotice {
  std::uint64_t id = 0;
  pid_t thread = 0;  ///< in our pid namespace
  ::seccomp_data call{};
};

class SeccompListener {
 public:
  SeccompListener() = default;  ///< nobody is heard
  /// Asks the kernel how large its messages are, and to keep caller and listener on one processor
  /// where it can (Linux 6.6): each waits for the other.
  static SysResult<SeccompListener> open(UniqueFd fd) noexcept;

  [[nodiscard]] int fd() const { return fd_.get(); }
  /// To be called when fd() is readable. nullopt: the caller has gone meanwhile.
  SysResult<std::optional<SeccompNotice>> receive() noexcept;
  /// The call fails with `error`. A caller that has gone is no error.
  SysResult<void> refuse(const SeccompNotice& notice, int error) noexcept;
  /// The kernel does the call after all. Not for a decision: the caller's memory may have changed.
  SysResult<void> let_pass(const SeccompNotice& notice) noexcept;
  /// Does the caller still wait, so that its process ids are still its own?
  [[nodiscard]] bool stands(const SeccompNotice& notice) const noexcept;
  /// Nobody listens any more: whoever waits gets ENOSYS.
  void close() { fd_.reset(); }

 private:
  SysResult<void> answer(const SeccompNotice& notice, int error, std::uint32_t flags) noexcept;

  UniqueFd fd_{};
  std::vector<std::byte> request_{};  ///< as large as this kernel's, which may be newer than we are
  std::vector<std::byte> response_{};
};

}  // namespace sbx::os
