#include "os/git_entry.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "base/fixed_text.hpp"
#include "base/text.hpp"
#include "os/mount.hpp"
#include "os/tools_path.hpp"

namespace sbx::os {
namespace {

constexpr ::off_t kMaxText = ::off_t{1} << 20U;  // a configuration may be long
constexpr std::string_view kTooLong = "it is longer than 1 MiB";
constexpr std::size_t kMaxNames = 10'000;

Error failed(const std::string& path, int error) {
  Error what = git_error(path, error == ELOOP ? "a symbolic link stands there" : "cannot be read");
  what.sys_errno = error;
  return what;
}

}  // namespace

Error git_error(const std::string& path, std::string_view why, std::string hint) {
  return {.kind = ErrorKind::host,
          .what = quote(path) + ": " + std::string(why),
          .hint = std::move(hint)};
}

Result<GitEntry> git_entry(const std::string& path) {
  const auto opened = open_path_strict(path.c_str());
  if (!opened) {
    const int error = opened.error().value;
    if (error == ENOENT || error == ENOTDIR) return GitEntry{};
    if (error == ELOOP) return GitEntry{.kind = GitKind::link};
    return std::unexpected(failed(path, error));
  }
  struct ::stat facts{};
  if (::fstat(opened->get(), &facts) != 0) return std::unexpected(failed(path, errno));
  GitEntry entry{.kind = GitKind::other, .uid = facts.st_uid, .gid = facts.st_gid};
  if (S_ISREG(facts.st_mode)) entry.kind = GitKind::file;
  if (S_ISDIR(facts.st_mode)) entry.kind = GitKind::folder;
  entry.linked = entry.kind == GitKind::file && facts.st_nlink > 1;
  return entry;
}

Result<std::string> git_text(const std::string& path) {
  const auto file = open_file_strict(path.c_str());
  if (!file) return std::unexpected(failed(path, file.error().value));
  if (file->size > kMaxText) return std::unexpected(git_error(path, kTooLong));
  std::string text(static_cast<std::size_t>(file->size), '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t got = ::read(file->fd.get(), text.data() + have, text.size() - have);
    if (got < 0) return std::unexpected(failed(path, errno));
    if (got == 0) break;  // it shrank
    have += static_cast<std::size_t>(got);
  }
  text.resize(have);
  return text;
}

Result<std::string> git_outer_text(const std::string& path) {
  auto text = read_regular_file(path, static_cast<std::size_t>(kMaxText));
  if (text) return *std::move(text);
  const int error = text.error().value;
  if (error == EFBIG) return std::unexpected(git_error(path, kTooLong));
  for (const int harmless : {ENOENT, ENOTDIR, EACCES, ELOOP, EINVAL})
    if (error == harmless) return "";
  return std::unexpected(failed(path, error));
}

Result<std::vector<std::string>> git_names(const std::string& path) {
  const auto folder = open_path_strict(path.c_str());
  if (!folder) return std::unexpected(failed(path, folder.error().value));
  const auto again = FixedText<32>().add("/proc/self/fd/").add(folder->get());
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(again.c_str()), &::closedir);
  if (!listing) return std::unexpected(failed(path, errno));
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const ::dirent* const entry = ::readdir(listing.get());
    if (entry == nullptr && errno != 0) return std::unexpected(failed(path, errno));
    if (entry == nullptr) return names;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (names.size() >= kMaxNames) return std::unexpected(git_error(path, "it holds too much"));
    names.emplace_back(name);
  }
}

}  // namespace sbx::os
