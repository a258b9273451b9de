#include "os/state_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/fail.hpp"

namespace sbx::os {
namespace {

/// "": nobody says where.
std::string base_folder(const char* variable, const char* of_root, const char* in_home) {
  const char* const named = ::getenv(variable);
  if (named != nullptr && named[0] == '/') return named;
  if (::geteuid() == 0) return of_root;
  const char* const home = ::getenv("HOME");
  return home != nullptr && home[0] == '/' ? std::string(home) + in_home : "";
}

SysResult<UniqueFd> open_folder(const std::string& path) {
  UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.valid()) return fail();
  return folder;
}

SysResult<void> make_folders(const std::string& path) {
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) {
      // A file system that is not ours to write to says so even where the folder exists.
      const int error = errno;
      if (::access(part.c_str(), F_OK) != 0) return std::unexpected(Errno{error});
    }
    if (slash == std::string::npos) return {};
  }
}

/// Whose the folders above are can put another in its place, and su and sudo may leave root with
/// the XDG_STATE_HOME of somebody else. Those that are missing are made by us.
SysResult<void> check_above(const std::string& path) {
  constexpr uid_t kUnmapped = 65534;  // in a user namespace, of whatever is not its own
  for (std::size_t slash = 0; slash != std::string::npos; slash = path.find('/', slash + 1)) {
    struct ::stat what{};
    const std::string part = slash == 0 ? "/" : path.substr(0, slash);
    const bool there = ::stat(part.c_str(), &what) == 0;
    if (!there && errno == ENOENT) return {};
    if (!there) return fail();
    if (what.st_uid != 0 && what.st_uid != kUnmapped) return std::unexpected(Errno{EPERM});
  }
  return {};
}

SysResult<StateFolder> open_private(const std::string& base, const std::string& name, bool make) {
  if (base.empty()) return std::unexpected(Errno{kNobodySaysWhere});
  StateFolder folder{base + "/sbx/" + name, {}};
  if (::geteuid() == 0) SBX_CHECK(check_above(folder.path));
  auto opened = open_folder(folder.path);
  if (!opened && opened.error().value == ENOENT && make) {
    SBX_CHECK(make_folders(folder.path));
    if (::geteuid() == 0) SBX_CHECK(check_above(folder.path));  // somebody may have been faster
    opened = open_folder(folder.path);
  }
  if (!opened) return std::unexpected(opened.error());
  folder.fd = std::move(*opened);
  struct ::stat what{};
  if (::fstat(folder.fd.get(), &what) != 0) return fail();
  if (what.st_uid != ::geteuid() || (what.st_mode & 0077U) != 0)
    return std::unexpected(Errno{EPERM});
  return folder;
}

}  // namespace

SysResult<StateFolder> open_state_folder(const std::string& name, bool make) {
  return open_private(base_folder("XDG_STATE_HOME", "/var/lib", "/.local/state"), name, make);
}

SysResult<StateFolder> open_cache_folder(const std::string& name, bool make) {
  return open_private(base_folder("XDG_CACHE_HOME", "/var/cache", "/.cache"), name, make);
}

Error state_folder_error(std::string what, std::string hint, int error) {
  const bool named = error != kNobodySaysWhere;
  return {.kind = ErrorKind::host,
          .what = std::move(what) + (named ? "" : ": HOME is not set to an absolute path"),
          .hint = (named ? "" : "set it; ") + std::move(hint),
          .sys_errno = named ? error : 0};
}

}  // namespace sbx::os
