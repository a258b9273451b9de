// write_file: the new content gets its place at once or not at all.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/base64.hpp"
#include "base/fail.hpp"
#include "base/fixed_text.hpp"
#include "base/text.hpp"
#include "mcp/arguments.hpp"
#include "mcp/files.hpp"
#include "mcp/write_note.hpp"
#include "os/borrowed_rights.hpp"
#include "os/folder.hpp"
#include "os/whole_file.hpp"

namespace sbx::mcp {
namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

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

SysResult<void> fill(int fd, std::string_view bytes, mode_t mode) {
  SBX_CHECK(os::write_all(fd, bytes));
  if (::fchmod(fd, mode) != 0 || ::fdatasync(fd) != 0) return fail();
  return {};
}

/// Without a name, and so without a trace when we are killed. Not every file system has that.
SysResult<os::UniqueFd> open_unnamed(int folder) {
  return os::open_beneath(folder, ".", O_WRONLY | O_TMPFILE, 0600);
}

SysResult<void> give_name(int fd, int folder, const std::string& name) {
  const auto path = FixedText<32>().add("/proc/self/fd/").add(fd);
  if (::linkat(AT_FDCWD, path.c_str(), folder, name.c_str(), AT_SYMLINK_FOLLOW) != 0) return fail();
  return {};
}

struct Wanted {
  std::string name;  ///< in its folder
  std::string_view bytes;
  bool executable = false;
  std::string temporary;  ///< a name until it takes its place
};

/// Of what has that name and is a file. What a link leads to is not what was asked for, and a
/// FIFO's reader would wait for ever.
SysResult<std::optional<mode_t>> mode_of(int folder, const std::string& name) {
  struct ::stat old{};
  if (::fstatat(folder, name.c_str(), &old, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  if (S_ISREG(old.st_mode)) return old.st_mode & 0777U;
  return std::unexpected(Errno{S_ISDIR(old.st_mode)   ? EISDIR
                               : S_ISLNK(old.st_mode) ? ELOOP
                                                      : EINVAL});
}

/// true: it replaces another.
SysResult<bool> put(int folder, const Wanted& wanted) {
  const std::optional<mode_t> old = SBX_TRY(mode_of(folder, wanted.name));
  const mode_t mode = old.value_or(0644U) | (wanted.executable ? 0111U : 0U);
  auto file = open_unnamed(folder);
  const bool has_name = !file && (file.error().value == EOPNOTSUPP || file.error().value == EISDIR);
  if (has_name)
    file = os::open_beneath(folder, wanted.temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (!file) return std::unexpected(file.error());
  auto done = fill(file->get(), wanted.bytes, mode);
  if (done && !has_name) {
    // linkat(2) does not replace.
    done = give_name(file->get(), folder, wanted.name);
    if (done || done.error().value != EEXIST) {
      SBX_CHECK(done);
      return false;
    }
    SBX_CHECK(give_name(file->get(), folder, wanted.temporary));
    done = {};
  }
  if (done && ::renameat(folder, wanted.temporary.c_str(), folder, wanted.name.c_str()) != 0)
    done = fail();
  if (!done) {
    (void)::unlinkat(folder, wanted.temporary.c_str(), 0);
    return std::unexpected(done.error());
  }
  return old.has_value();
}

SysResult<bool> write(const Workspace& workspace, const std::string& path, std::string_view bytes,
                      bool executable) {
  const std::size_t slash = path.rfind('/');
  const Wanted wanted{path.substr(slash + 1), bytes, executable, SBX_TRY(unfinished_name())};
  SBX_CHECK(workspace.note_write(slash == std::string::npos ? "" : path.substr(0, slash),
                                 wanted.temporary));
  const auto written = [&]() -> SysResult<bool> {
    os::BorrowedRights theirs(workspace.rights());
    SBX_CHECK(theirs.take());
    const os::UniqueFd folder = SBX_TRY(open_above(workspace.folder(), path));
    return put(folder.get(), wanted);
  }();
  workspace.forget_write();
  return written;
}

Error cannot(const std::string& path, int error) {
  Error out{.kind = ErrorKind::usage, .what = "cannot write " + quote(path), .sys_errno = error};
  if (error == ELOOP) out.hint = "a symbolic link is there or on the way, and none is followed";
  return out;
}

}  // namespace

Answer write_file(const Json& given, const Workspace& workspace,
                  const Workspace::Meanwhile& meanwhile) {
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
  if (const auto noted = workspace.prepare_write(*name, meanwhile); !noted)
    return failure(cannot(path, noted.error().value));
  const auto written = write(workspace, *name, content, executable);
  // Also what has failed may have made folders.
  if (const auto noted = workspace.commit_write(meanwhile); !noted) return failure(noted.error());
  if (!written) return failure(cannot(path, written.error().value));
  Answer answer;
  answer.data = {{"path", *name}, {"bytes", content.size()}, {"replaced", *written}};
  answer.add_text(std::to_string(content.size()) + " bytes written to " + *name);
  return answer;
}

}  // namespace sbx::mcp
