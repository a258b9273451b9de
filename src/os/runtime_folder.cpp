// Runs in the supervisor and in the verbs that look for live runs.
#include "os/runtime_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "base/fail.hpp"

namespace sbx::os {
namespace {

/// Is this folder, or what stands in its place, ours and nobody else's to write to?
SysResult<void> check_owner(int folder, mode_t forbidden) {
  struct ::stat what{};
  if (::fstat(folder, &what) != 0) return fail();
  if (what.st_uid != ::geteuid() || (what.st_mode & forbidden) != 0)
    return std::unexpected(Errno{EPERM});
  return {};
}

/// Never through a link, which in /tmp anybody could have put there.
SysResult<UniqueFd> open_private(const std::string& path, bool make) {
  const auto open_it = [&path] {
    return UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  };
  UniqueFd folder = open_it();
  if (!folder.valid() && errno == ENOENT && make) {
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return fail();
    folder = open_it();
  }
  if (!folder.valid()) return fail();
  SBX_CHECK(check_owner(folder.get(), 0077));
  return folder;
}

/// The session's folder; what `su` or `sudo` left of another user's does not count (basedir-spec:
/// it "MUST be owned by the user").
bool is_own_folder(const std::string& path) {
  const UniqueFd folder(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return folder.valid() && check_owner(folder.get(), 0022).has_value();
}

}  // namespace

SysResult<UniqueFd> open_runtime_folder(bool make) {
  const char* const named = ::getenv("XDG_RUNTIME_DIR");
  if (named != nullptr && named[0] == '/' && is_own_folder(named))
    return open_private(std::string(named) + "/sbx", make);
  const uid_t user = ::geteuid();
  if (user == 0) return open_private("/run/sbx", make);
  const std::string session = "/run/user/" + std::to_string(user);
  if (is_own_folder(session)) return open_private(session + "/sbx", make);
  return open_private("/tmp/.sbx-" + std::to_string(user), make);
}

}  // namespace sbx::os
