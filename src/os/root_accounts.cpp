// Users and groups of a root of the user's own, which somebody else may have filled.
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "os/folder.hpp"
#include "os/probe.hpp"
#include "os/probe_source.hpp"
#include "os/whole_file.hpp"

namespace sbx::os {
namespace {

constexpr off_t kMost = 64L * 1024;

/// Init binds another file over it, started by root as nobody's owner.
bool is_open_to_init(mode_t mode, mode_t others) {
  return ::geteuid() != 0 || (mode & others) == others;
}

std::optional<std::string> account_file(int etc, const char* name) {
  const auto file = open_beneath(etc, name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  struct ::stat what{};
  if (!file || ::fstat(file->get(), &what) != 0 || !S_ISREG(what.st_mode) || what.st_size > kMost ||
      !is_open_to_init(what.st_mode, S_IROTH))
    return std::nullopt;
  std::string text(static_cast<std::size_t>(what.st_size), '\0');
  const ssize_t got = ::pread(file->get(), text.data(), text.size(), 0);
  if (got < 0) return std::nullopt;
  text.resize(static_cast<std::size_t>(got));
  return text;
}

}  // namespace

RootAccounts accounts_of_root(const std::string& dir) {
  const SourceFacts root = look_at_source({dir, "/"});
  const auto folder = open_folder_strict(root.path);
  if (!folder) return {};
  const auto etc = open_beneath(folder->get(), "etc", O_RDONLY | O_DIRECTORY);
  struct ::stat what{};
  if (!etc || ::fstat(etc->get(), &what) != 0 || !is_open_to_init(what.st_mode, S_IXOTH)) return {};
  return {account_file(etc->get(), "passwd"), account_file(etc->get(), "group")};
}

}  // namespace sbx::os
