#include "changes/note.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <sstream>

#include "base/fail.hpp"
#include "os/fd.hpp"
#include "os/whole_file.hpp"

namespace sbx::changes {
namespace {

constexpr const char* kName = "applying";
constexpr const char* kOpen = "applying-open";
constexpr std::string_view kNowhere = "/";  // no folder of a workspace, whose paths are relative

}  // namespace

bool Note::is_of(int store, const std::string& run) {
  return ::faccessat(store, (run + "/" + kName).c_str(), F_OK, 0) == 0;
}

bool Note::is_there() const { return ::faccessat(folder_, kName, F_OK, 0) == 0; }

SysResult<void> Note::begin() const { return unfinished_in(kNowhere); }

SysResult<void> Note::unfinished_in(std::string_view folder) const {
  const os::UniqueFd note(::openat(folder_, kName, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!note.valid()) return fail();
  return os::write_all(note.get(), folder);
}

SysResult<std::optional<std::string>> Note::unfinished() const {
  const os::UniqueFd note(::openat(folder_, kName, O_RDONLY | O_CLOEXEC));
  if (!note.valid() && errno == ENOENT) return std::nullopt;
  if (!note.valid()) return fail();
  std::string folder = SBX_TRY(os::read_all(note.get()));
  if (folder == kNowhere) return std::nullopt;
  return folder;
}

SysResult<void> Note::add_open(Folder opened) const {
  const os::UniqueFd list(
      ::openat(folder_, kOpen, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!list.valid()) return fail();
  return os::write_all(list.get(),
                       std::to_string(opened.index) + " " + std::to_string(opened.mode) + "\n");
}

SysResult<std::vector<Note::Folder>> Note::open_folders() const {
  const os::UniqueFd list(::openat(folder_, kOpen, O_RDONLY | O_CLOEXEC));
  std::vector<Folder> folders;
  if (!list.valid() && errno == ENOENT) return folders;
  if (!list.valid()) return fail();
  std::istringstream lines(SBX_TRY(os::read_all(list.get())));
  Folder folder;
  // Whoever was killed while writing a line has opened nothing for it.
  while (lines >> folder.index >> folder.mode && lines.get() == '\n') folders.push_back(folder);
  return folders;
}

SysResult<void> Note::settle() const {
  if (::unlinkat(folder_, kOpen, 0) != 0 && errno != ENOENT) return fail();
  return begin();
}

void Note::remove() const {
  (void)::unlinkat(folder_, kOpen, 0);  // first: nobody looks for a list without a note
  (void)::unlinkat(folder_, kName, 0);
}

}  // namespace sbx::changes
