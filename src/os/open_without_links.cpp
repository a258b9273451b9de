#include "os/open_without_links.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <string_view>

#include "base/lexical_path.hpp"

namespace sbx::os {

UniqueFd open_without_links(const std::string& path) {
  // O_NONBLOCK: opening a named pipe would wait for its writer.
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  std::array<char, PATH_MAX> here{};
  if (::getcwd(here.data(), here.size()) == nullptr) return UniqueFd(::open(path.c_str(), kFlags));
  const std::string_view folder(here.data());
  const std::string clean = lexical_path(folder, path);
  if (folder == "/" || clean == folder || !is_below(clean, folder))
    return UniqueFd(::open(path.c_str(), kFlags));
  const UniqueFd base(::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  ::open_how how{};
  how.flags = kFlags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const char* const inner = clean.c_str() + folder.size() + 1;
  constexpr int kAttempts = 32;  // EAGAIN is documented for a rename beside it
  long file = -1;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    file = ::syscall(SYS_openat2, base.get(), inner, &how, sizeof how);
    if (file >= 0 || (errno != EAGAIN && errno != EINTR)) break;
  }
  return UniqueFd(static_cast<int>(file));
}

}  // namespace sbx::os
