#include "changes/store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "changes/file_time.hpp"
#include "changes/manifest.hpp"
#include "changes/note.hpp"
#include "changes/unfinished.hpp"
#include "os/file_lock.hpp"
#include "os/folder.hpp"
#include "os/remove_tree.hpp"
#include "os/state_folder.hpp"
#include "os/whole_file.hpp"

namespace sbx::changes {
namespace {

constexpr const char* kManifest = "changes.json";
constexpr const char* kHint =
    "changes are kept in $XDG_STATE_HOME/sbx/changes, else in ~/.local/state/sbx/changes (root: "
    "/var/lib/sbx/changes), which has to be yours and closed to others";

Error store_error(std::string what, int error) {
  return os::state_folder_error(std::move(what), kHint, error);
}

os::UniqueFd open_folder(int store, const std::string& name) {
  return os::UniqueFd(
      ::openat(store, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

std::string staged(const std::string& run) { return "." + run; }

Error no_such_run(std::string_view word, std::span<const std::string> found) {
  constexpr std::size_t kMostNamed = 8;
  if (found.empty())
    return {.kind = ErrorKind::usage,
            .what = "no changes are kept of a run " + quote(word),
            .hint = "runs whose changes are kept: sbx diff"};
  std::string hint = "kept runs of such a name:";
  for (const std::string& run : found.first(std::min(found.size(), kMostNamed))) hint += " " + run;
  return {.kind = ErrorKind::usage,
          .what = quote(word) + " can be any of " + std::to_string(found.size()) + " runs",
          .hint = std::move(hint)};
}

}  // namespace

Staging::Staging(Staging&& other) noexcept
    : store_(other.store_),
      run_(std::move(other.run_)),
      folder_(std::move(other.folder_)),
      committed_(other.committed_) {}

Staging::~Staging() {
  if (folder_.valid() && !committed_)
    os::remove_folder(store_, folder_.get(), staged(run_).c_str());
}

SysResult<os::UniqueFd> Staging::create_object(std::uint64_t number) const {
  os::UniqueFd file(::openat(folder_.get(), std::to_string(number).c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.valid()) return fail();
  return file;
}

void Staging::remove_object(std::uint64_t number) const {
  ::unlinkat(folder_.get(), std::to_string(number).c_str(), 0);
}

SysResult<std::int64_t> Staging::touch() const {
  struct ::stat now{};
  if (::futimens(folder_.get(), nullptr) != 0 || ::fstat(folder_.get(), &now) != 0) return fail();
  return nanoseconds(now.st_ctim);
}

SysResult<void> Staging::commit(const ChangeSet& set) {
  const os::UniqueFd file(
      ::openat(folder_.get(), kManifest, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.valid()) return fail();
  SBX_CHECK(os::write_all(file.get(), to_manifest(set)));
  // The name says that it is complete, also after a crash of the host. What is lost of a content
  // then shows by its digest.
  if (::fdatasync(file.get()) != 0) return fail();
  if (::renameat(store_, staged(run_).c_str(), store_, run_.c_str()) != 0) return fail();
  committed_ = true;
  folder_.reset();  // and its lock: the next may be ourselves, who apply it
  return {};
}

Result<Store> Store::open(bool make) {
  Store store;
  auto folder = os::open_state_folder("changes", make);
  if (!folder && folder.error().value == ENOENT && !make) return store;
  if (!folder)
    return std::unexpected(store_error("no place to keep changes in", folder.error().value));
  store.path_ = std::move(folder->path);
  store.folder_ = std::move(folder->fd);
  return store;
}

Result<Staging> Store::stage(const std::string& run) {
  // Of all runs one at a time: a folder that is made and not locked yet looks like a killed run's.
  if (const auto locked = os::lock_file(folder_.get(), LOCK_EX); !locked)
    return std::unexpected(store_error("cannot lock " + quote(path_), locked.error().value));
  sweep();
  const std::string name = staged(run);
  if (::mkdirat(folder_.get(), name.c_str(), 0700) != 0)
    return std::unexpected(store_error("cannot make a folder in " + quote(path_), errno));
  Staging staging(folder_.get(), run, open_folder(folder_.get(), name));
  if (!staging.folder_.valid() || ::flock(staging.folder_.get(), LOCK_EX | LOCK_NB) != 0)
    return std::unexpected(store_error("cannot lock a folder in " + quote(path_), errno));
  (void)::flock(folder_.get(), LOCK_UN);
  return staging;
}

void Store::remove_leftovers() {
  const auto store = open(false);
  // In passing only: whoever holds the lock is not waited for.
  if (!store || !store->folder_.valid() || ::flock(store->folder_.get(), LOCK_EX | LOCK_NB) != 0)
    return;
  store->sweep();
}

/// Removes what nobody holds: of a killed run all, of one that was killed as it was applied what
/// that has left in the workspace.
void Store::sweep() const {
  const auto names = os::list_names(folder_.get());
  if (!names) return;
  for (const std::string& name : *names) {
    const bool complete = !name.starts_with('.');
    if (complete && !Note::is_of(folder_.get(), name)) continue;
    os::UniqueFd folder = open_folder(folder_.get(), name);
    if (!folder.valid() || ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) continue;
    // It may have been committed between: then it has another name, and is what somebody wants.
    if (!os::is_named(folder_.get(), name.c_str(), folder.get())) continue;
    if (complete)
      clear_unfinished(KeptRun{name, std::move(folder)});
    else
      os::remove_folder(folder_.get(), folder.get(), name.c_str());
  }
}

Result<std::vector<std::string>> Store::runs() const {
  if (!folder_.valid()) return std::vector<std::string>{};
  auto names = os::list_names(folder_.get());
  if (!names)
    return std::unexpected(store_error("cannot list " + quote(path_), names.error().value));
  std::erase_if(*names, [this](const std::string& name) {
    if (name.starts_with('.')) return true;
    struct ::stat what{};
    // What cannot be looked at stays: who opens it is told why.
    if (::fstatat(folder_.get(), name.c_str(), &what, AT_SYMLINK_NOFOLLOW) != 0)
      return errno == ENOENT;
    return !S_ISDIR(what.st_mode);
  });
  return std::move(*names);
}

bool Store::mentions(const std::string& run, std::string_view text) const {
  const os::UniqueFd folder = open_folder(folder_.get(), run);
  if (!folder.valid()) return false;
  const os::UniqueFd file(::openat(folder.get(), kManifest, O_RDONLY | O_CLOEXEC));
  const auto all = file.valid() ? os::read_all(file.get()) : SysResult<std::string>(fail());
  return all && all->find(text) != std::string::npos;
}

Result<KeptRun> Store::find(std::string_view word, Use use) const {
  std::vector<std::string> found;
  for (std::string& run : SBX_TRY(runs())) {
    if (word.empty() || !(run.starts_with(word) || run.ends_with(word))) continue;
    if (run == word) {
      found = {std::move(run)};
      break;
    }
    found.push_back(std::move(run));
  }
  if (found.size() != 1) return std::unexpected(no_such_run(word, found));
  KeptRun kept{found.front(), open_folder(folder_.get(), found.front())};
  if (!kept.folder.valid() && errno == ENOENT) return std::unexpected(no_such_run(word, {}));
  if (!kept.folder.valid() || ::flock(kept.folder.get(), use == Use::look ? LOCK_SH : LOCK_EX) != 0)
    return std::unexpected(store_error("cannot open the kept changes of " + kept.run, errno));
  if (!os::is_named(folder_.get(), kept.run.c_str(), kept.folder.get()))
    return std::unexpected(no_such_run(word, {}));
  return kept;
}

void KeptRun::unlock() const { (void)::flock(folder.get(), LOCK_UN); }

SysResult<void> Store::remove(const KeptRun& kept) const {
  // A name with a dot first: what is half removed is no kept run any more.
  const std::string name = staged(kept.run);
  if (::renameat(folder_.get(), kept.run.c_str(), folder_.get(), name.c_str()) != 0) return fail();
  SBX_CHECK(os::empty_folder(kept.folder.get()));
  if (::unlinkat(folder_.get(), name.c_str(), AT_REMOVEDIR) != 0) return fail();
  return {};
}

Result<ChangeSet> read_changes(const KeptRun& kept) {
  const os::UniqueFd file(::openat(kept.folder.get(), kManifest, O_RDONLY | O_CLOEXEC));
  auto text = file.valid() ? os::read_all(file.get()) : SysResult<std::string>(fail());
  if (!text && text.error().value != ENOENT)
    return std::unexpected(
        store_error("cannot read the kept changes of " + kept.run, text.error().value));
  if (text)
    if (auto set = from_manifest(*text)) return set;
  return std::unexpected(Error{
      .kind = ErrorKind::host,
      .what =
          "the list of the kept changes of " + kept.run + (text ? " is damaged" : " is missing"),
      .hint = "sbx discard " + kept.run + " removes what is left of them"});
}

SysResult<os::UniqueFd> open_object(const KeptRun& kept, std::uint64_t number) {
  os::UniqueFd file(
      ::openat(kept.folder.get(), std::to_string(number).c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return fail();
  return file;
}

}  // namespace sbx::changes
