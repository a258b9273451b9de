// write_file: the new content gets its place at once or not at all.
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "mcp/arguments.hpp"
#include "mcp/files.hpp"
#include "os/borrowed_rights.hpp"
#include "os/folder.hpp"

namespace sbx::mcp {
namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

std::unexpected<Errno> fail() { return std::unexpected(Errno{errno}); }

/// The folder that `path` is in, made as far as it is missing.
SysResult<os::UniqueFd> open_above(int top, std::string_view path) {
  os::UniqueFd here = SBX_TRY(os::open_beneath(top, ".", kFolder));
  const auto names = split(path, '/');
  for (std::size_t i = 0; i + 1 < names.size(); ++i) {
    const std::string name(names[i]);
    if (::mkdirat(here.get(), name.c_str(), 0755) != 0 && errno != EEXIST) return fail();
    here = SBX_TRY(os::open_beneath(here.get(), name.c_str(), kFolder));
  }
  return here;
}

SysResult<std::string> new_name() {
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != static_cast<ssize_t>(sizeof random)) return fail();
  std::array<char, 40> name{};
  (void)std::snprintf(name.data(), name.size(), ".sbx-write-%016llx",
                      static_cast<unsigned long long>(random));
  return std::string(name.data());
}

SysResult<void> fill(int fd, std::string_view bytes, mode_t mode) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail();
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  if (::fchmod(fd, mode) != 0 || ::fdatasync(fd) != 0) return fail();
  return {};
}

struct Written {
  bool replaced = false;
};

SysResult<Written> put(int top, const std::string& path, std::string_view bytes, bool executable) {
  const os::UniqueFd folder = SBX_TRY(open_above(top, path));
  const std::string name = path.substr(path.rfind('/') + 1);
  struct ::stat old{};
  const bool there = ::fstatat(folder.get(), name.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0;
  // What a link leads to is not what was asked for, and a FIFO's reader would wait for ever.
  if (there && !S_ISREG(old.st_mode))
    return std::unexpected(Errno{S_ISDIR(old.st_mode)   ? EISDIR
                                 : S_ISLNK(old.st_mode) ? ELOOP
                                                        : EINVAL});
  const mode_t kept = there ? old.st_mode & 0777U : 0644U;
  const std::string made = SBX_TRY(new_name());
  const os::UniqueFd file =
      SBX_TRY(os::open_beneath(folder.get(), made.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600));
  auto done = fill(file.get(), bytes, executable ? kept | 0111U : kept);
  if (done && ::renameat(folder.get(), made.c_str(), folder.get(), name.c_str()) != 0)
    done = fail();
  if (!done) {
    (void)::unlinkat(folder.get(), made.c_str(), 0);
    return std::unexpected(done.error());
  }
  return Written{there};
}

Error cannot(const std::string& path, int error) {
  Error out{.kind = ErrorKind::usage, .what = "cannot write " + quote(path), .sys_errno = error};
  if (error == ELOOP) out.hint = "a symbolic link is there or on the way, and none is followed";
  return out;
}

}  // namespace

Answer write_file(const Json& given, const Workspace& workspace) {
  Arguments arguments(given);
  const std::string path = arguments.needed_text("path");
  std::optional<std::string> bytes = arguments.content("text");
  if (const auto digits = arguments.text("base64")) {
    if (bytes) arguments.add_mistake("give `text` or `base64`, not both");
    bytes = from_base64(*digits);
    if (!bytes) arguments.add_mistake("`base64` is none");
  }
  const bool executable = arguments.flag("executable").value_or(false);
  if (!bytes) arguments.add_mistake("`text` or `base64` is missing");
  if (const auto wrong = arguments.mistake()) return failure(*wrong);
  const std::string content = std::move(bytes).value_or("");
  if (!workspace.writable())
    return failure("the workspace is read-only: the operator's profile has workspace.mode ro");
  const auto name = workspace.relative(path);
  if (!name) return failure(name.error());
  if (name->empty()) return failure(cannot(path, EISDIR));
  if (const auto free = workspace.check_git(*name); !free) return failure(free.error());
  if (const auto room = workspace.check_room(workspace.growth_of(*name, content.size())); !room)
    return failure(room.error());
  const std::size_t folder = std::min(name->size(), name->rfind('/'));
  if (const auto fits = workspace.check_depth(std::string_view(*name).substr(0, folder)); !fits)
    return failure(fits.error());
  os::BorrowedRights theirs(workspace.rights());
  if (const auto taken = theirs.take(); !taken) return failure(cannot(path, taken.error().value));
  const auto written = put(workspace.folder(), *name, content, executable);
  if (!written) return failure(cannot(path, written.error().value));
  Answer answer;
  answer.data = {{"path", *name}, {"bytes", content.size()}, {"replaced", written->replaced}};
  answer.add_text(std::to_string(content.size()) + " bytes written to " + *name);
  return answer;
}

}  // namespace sbx::mcp
