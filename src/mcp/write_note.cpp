#include "mcp/write_note.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "os/borrowed_rights.hpp"
#include "os/fd.hpp"
#include "os/folder.hpp"

namespace sbx::mcp {
namespace {

constexpr const char* kNote = "writing";
constexpr std::string_view kPrefix = ".sbx-write-";
constexpr std::size_t kLongestNote = std::size_t{3} * 4096;  // three paths

/// Top, folder and name, or nothing that can be relied on.
std::vector<std::string> read_note(int session) {
  const os::UniqueFd note(::openat(session, kNote, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!note.valid()) return {};
  std::string text(kLongestNote, '\0');
  const ssize_t size = ::read(note.get(), text.data(), text.size());
  text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  std::vector<std::string> parts;
  for (const std::string_view part : split(text, '\0')) parts.emplace_back(part);
  const bool whole =
      parts.size() == 3 && parts[2].starts_with(kPrefix) && parts[2].find('/') == std::string::npos;
  return whole ? parts : std::vector<std::string>{};
}

}  // namespace

SysResult<std::string> unfinished_name() {
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != static_cast<ssize_t>(sizeof random)) return fail();
  std::array<char, 20> digits{};
  (void)std::snprintf(digits.data(), digits.size(), "%016llx",
                      static_cast<unsigned long long>(random));
  return std::string(kPrefix) + digits.data();
}

SysResult<void> note_write(int session, const std::string& top, const std::string& folder,
                           const std::string& name) {
  clear_write(session);  // of one that was killed while its server lives
  std::string text = top;
  text += '\0';
  text += folder;
  text += '\0';
  text += name;
  const os::UniqueFd note(
      ::openat(session, kNote, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!note.valid()) return fail();
  if (::write(note.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return std::unexpected(Errno{ENOSPC});
  return {};
}

void forget_write(int session) { (void)::unlinkat(session, kNote, 0); }

void clear_write(int session) {
  const std::vector<std::string> noted = read_note(session);
  if (noted.empty()) return;
  const auto top = os::open_folder_strict(noted[0]);
  const auto rights = top ? os::rights_in(top->get()) : std::unexpected(top.error());
  if (!rights) return;
  os::BorrowedRights theirs(*rights);
  if (!theirs.take()) return;
  const auto folder = os::open_beneath(top->get(), noted[1].empty() ? "." : noted[1].c_str(),
                                       O_PATH | O_DIRECTORY | O_NOFOLLOW);
  if (folder) (void)::unlinkat(folder->get(), noted[2].c_str(), 0);
}

}  // namespace sbx::mcp
