#include "artifacts/store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "os/file_lock.hpp"
#include "os/folder.hpp"
#include "os/remove_tree.hpp"
#include "os/state_folder.hpp"

namespace sbx::artifacts {
namespace {

constexpr const char* kHint =
    "artifacts are kept in $XDG_STATE_HOME/sbx/artifacts, else in ~/.local/state/sbx/artifacts "
    "(root: /var/lib/sbx/artifacts), which has to be yours and closed to others";
constexpr const char* kFullHint =
    "make room (sbx artifacts gc removes what is over), or let XDG_STATE_HOME name a folder that "
    "has some";

/// NFS gives a lock only on a file that is open for writing (flock(2)).
os::UniqueFd open_lock(int folder, int flags) {
  return os::UniqueFd(::openat(folder, "lock", O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0600));
}

}  // namespace

Error store_error(std::string what, int error) {
  const bool full = error == ENOSPC || error == EDQUOT;
  return os::state_folder_error(std::move(what), full ? kFullHint : kHint, error);
}

Error no_such_run(std::string_view word) {
  return {.kind = ErrorKind::usage,
          .what = "no artifacts are kept of a run " + quote(word),
          .hint = "what is kept: sbx artifacts ls"};
}

Result<Opened> Opened::open(std::shared_ptr<const Place> place, Use use) {
  if (const auto locked = os::lock_file(place->lock.get(), use == Use::look ? LOCK_SH : LOCK_EX);
      !locked)
    return std::unexpected(store_error("cannot lock " + quote(place->path), locked.error().value));
  const auto let_go = [&place](Error error) {
    (void)::flock(place->lock.get(), LOCK_UN);
    return std::unexpected(std::move(error));
  };
  auto objects = Objects::open(place->folder.get());
  if (!objects)
    return let_go(
        store_error("cannot open the contents in " + quote(place->path), objects.error().value));
  auto index = Index::open(place->path + "/index.db");
  if (!index) return let_go(std::move(index).error());
  return Opened(std::move(place), std::move(*index), std::move(*objects));
}

Opened::~Opened() {
  if (place_ != nullptr) (void)::flock(place_->lock.get(), LOCK_UN);
}

Result<Run> Opened::find(std::string_view word) const {
  constexpr std::size_t kMostNamed = 8;
  std::vector<Run> found;
  for (Run& run : SBX_TRY(index_.runs())) {
    if (run.id == word) return std::move(run);
    if (!word.empty() && (run.id.starts_with(word) || run.id.ends_with(word)))
      found.push_back(std::move(run));
  }
  if (found.empty()) return std::unexpected(no_such_run(word));
  if (found.size() == 1) return std::move(found.front());
  std::string hint = "runs of such a name:";
  for (std::size_t i = 0; i < std::min(found.size(), kMostNamed); ++i) hint += " " + found[i].id;
  return std::unexpected(
      Error{.kind = ErrorKind::usage,
            .what = quote(word) + " can be any of " + std::to_string(found.size()) + " runs",
            .hint = std::move(hint)});
}

Result<void> Opened::remove(const std::vector<std::string>& runs) {
  if (runs.empty()) return {};
  std::vector<std::string> unused;
  Transaction transaction = SBX_TRY(index_.begin());
  for (const std::string& run : runs)
    for (std::string& digest : SBX_TRY(index_.remove(run))) unused.push_back(std::move(digest));
  SBX_CHECK(transaction.commit());
  // Last: killed here, they are contents that nobody refers to, and never the other way round.
  for (const std::string& digest : unused) objects_.remove(digest);
  return {};
}

Result<void> Opened::settle(int staging, const std::string& name, int folder) {
  for (const std::string& file : os::list_names(folder).value_or(std::vector<std::string>{}))
    if (is_sha256_hex(file) && !SBX_TRY(index_.refers_to(file))) objects_.remove(file);
  if (const auto emptied = os::empty_folder(folder); !emptied)
    return std::unexpected(store_error(
        "cannot remove what a run has left in " + quote(place_->path), emptied.error().value));
  ::unlinkat(staging, name.c_str(), AT_REMOVEDIR);
  return {};
}

Result<void> Opened::sweep() {
  const auto staging = os::open_beneath(place_->folder.get(), "staging", O_RDONLY | O_DIRECTORY);
  if (!staging) return {};
  for (const std::string& name :
       os::list_names(staging->get()).value_or(std::vector<std::string>{})) {
    const auto folder = os::open_beneath(staging->get(), name.c_str(), O_RDONLY | O_DIRECTORY);
    if (!folder) continue;
    // A folder gets its lock while the store's is held: without one its maker was killed.
    os::UniqueFd held = open_lock(folder->get(), 0);
    if (held.valid() && ::flock(held.get(), LOCK_EX | LOCK_NB) != 0) continue;
    held.reset();  // on NFS what is open cannot go
    SBX_CHECK(settle(staging->get(), name, folder->get()));
  }
  return {};
}

Result<Store> Store::open(bool make) {
  Store store;
  auto folder = os::open_state_folder("artifacts", make);
  if (!folder && folder.error().value == ENOENT && !make) return store;
  if (!folder)
    return std::unexpected(store_error("no place to keep artifacts in", folder.error().value));
  auto place = std::make_shared<Place>();
  place->path = std::move(folder->path);
  place->folder = std::move(folder->fd);
  os::UniqueFd lock = open_lock(place->folder.get(), O_CREAT);
  if (!lock.valid())
    return std::unexpected(store_error("cannot lock " + quote(place->path), errno));
  place->lock = std::move(lock);
  store.place_ = std::move(place);
  return store;
}

}  // namespace sbx::artifacts
