#include "artifacts/walk.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/fail.hpp"
#include "base/lexical_path.hpp"
#include "os/folder.hpp"

namespace sbx::artifacts {
namespace {

constexpr int kDeepest = 256;                  // a descriptor each
constexpr std::size_t kMostNames = 1'000'000;  // of all folders; a list of one takes memory

constexpr long kQueueMagic = 0x19800202;  // mqueue, which no header names
/// File systems whose files are the kernel's own words.
constexpr std::array<long, 15> kMadeUp{
    PROC_SUPER_MAGIC, SYSFS_MAGIC,      CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, DEBUGFS_MAGIC,
    TRACEFS_MAGIC,    SECURITYFS_MAGIC, BPF_FS_MAGIC,       DEVPTS_SUPER_MAGIC,  NSFS_MAGIC,
    PSTOREFS_MAGIC,   EFIVARFS_MAGIC,   SELINUX_MAGIC,      BINFMTFS_MAGIC,      kQueueMagic};

bool is_made_up(int fd) {
  struct ::statfs what{};
  return ::fstatfs(fd, &what) != 0 || std::ranges::find(kMadeUp, what.f_type) != kMadeUp.end();
}

/// One name in `folder`, not through a link; a mount is entered, as the payload's path would.
SysResult<os::UniqueFd> open_name(int folder, const std::string& name, int flags) {
  ::open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC | O_NOFOLLOW);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  constexpr int kTries = 100;  // EAGAIN: somebody renames on a file system of the host's
  for (int tries = 1;; ++tries) {
    os::UniqueFd fd(
        static_cast<int>(::syscall(SYS_openat2, folder, name.c_str(), &how, sizeof how)));
    if (fd.valid()) return fd;
    if ((errno != EAGAIN && errno != EINTR) || tries == kTries) return fail();
  }
}

SysResult<std::vector<std::string>> names_in(int folder, std::size_t most) {
  const os::UniqueFd listing = SBX_TRY(open_name(folder, ".", O_RDONLY | O_DIRECTORY));
  return os::list_names(listing.get(), most);
}

}  // namespace

Walk::Walk(int root, std::optional<os::Ids> ids, const std::vector<std::string>& patterns)
    : root_(root), rights_(ids) {
  for (const std::string& pattern : patterns) {
    patterns_.push_back(std::make_unique<PathPattern>(pattern));
    written_.push_back(written_out(pattern));
  }
}

Walk::States Walk::start() const {
  States states;
  for (const auto& pattern : patterns_) states.push_back(pattern->start());
  return states;
}

std::optional<Walk::States> Walk::step(const States& from, const std::string& name,
                                       bool& all) const {
  States to(from.size(), 0);
  bool leads = all;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] == 0) continue;
    to[i] = patterns_[i]->step(from[i], name.c_str());
    leads = leads || to[i] != 0;
    all = all || patterns_[i]->matches(to[i]);
  }
  if (!leads) return std::nullopt;
  return to;
}

Result<void> Walk::run(const Wanted& wanted, const Take& take) {
  wanted_ = &wanted;
  take_ = &take;
  const auto borrowed = rights_.take();
  if (!borrowed)
    return std::unexpected(Error{.kind = ErrorKind::setup,
                                 .what = "cannot look at the artifacts with the command's rights",
                                 .sys_errno = borrowed.error().value});
  auto done = enter(root_, start(), false, 0);
  rights_.give_back();
  return done;
}

Result<void> Walk::enter(int folder, const States& states, bool all, int depth) {
  if (depth > kDeepest) {
    ++skipped_.deep;
    return {};
  }
  const auto names = names_in(folder, kMostNames - seen_);
  if (!names) {
    const bool too_many = names.error().value == E2BIG;
    skipped_.too_many = skipped_.too_many || too_many;
    skipped_.closed += too_many ? 0 : 1;
    return {};
  }
  seen_ += names->size();
  for (const std::string& name : *names) SBX_CHECK(visit(folder, name, states, all, depth));
  return {};
}

Result<void> Walk::visit(int folder, const std::string& name, const States& states, bool all,
                         int depth) {
  const auto next = step(states, name, all);
  if (!next) return {};
  const std::size_t here = path_.size();
  path_.append("/").append(name);
  auto done = look(folder, name, *next, all, depth);
  path_.resize(here);
  return done;
}

Result<void> Walk::look(int folder, const std::string& name, const States& states, bool all,
                        int depth) {
  const auto at = open_name(folder, name, O_PATH);
  if (!at) {
    if (all && at.error().value != ENOENT) ++skipped_.closed;
    return {};
  }
  struct ::stat what{};
  if (::fstat(at->get(), &what) != 0) return {};
  switch (what.st_mode & S_IFMT) {
    case S_IFDIR:
      if (!is_made_up(at->get())) return enter(at->get(), states, all, depth + 1);
      if (all) ++skipped_.special;
      return {};
    case S_IFREG:
      return all ? take_file(folder, name, what) : Result<void>{};
    case S_IFLNK:
      skip_link();
      return {};
    default:
      if (all) ++skipped_.special;
      return {};
  }
}

/// What is behind a link that somebody has written out is all that he wants.
void Walk::skip_link() {
  if (std::ranges::any_of(written_, [this](const auto& path) { return is_below(path, path_); }))
    skipped_.written_links.push_back(path_);
  else
    ++skipped_.links;
}

Result<void> Walk::take_file(int folder, const std::string& name, const struct ::stat& what) {
  if (!(*wanted_)({path_, what})) return {};
  // Another one may have taken its place, where the folder is the host's too: nothing here may
  // block on a FIFO, or take a terminal, and a device on our mounts cannot be opened (nodev).
  auto file = open_name(folder, name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  struct ::stat opened{};
  if (!file || ::fstat(file->get(), &opened) != 0) {
    ++skipped_.closed;
    return {};
  }
  if (!S_ISREG(opened.st_mode) || is_made_up(file->get())) {
    ++skipped_.special;
    return {};
  }
  rights_.give_back();
  auto taken = (*take_)({path_, opened}, std::move(*file));
  if (taken) {
    if (const auto again = rights_.take(); !again)
      return std::unexpected(Error{.kind = ErrorKind::setup,
                                   .what = "cannot go on with the command's rights",
                                   .sys_errno = again.error().value});
  }
  return taken;
}

}  // namespace sbx::artifacts
