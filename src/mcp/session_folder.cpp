#include "mcp/session_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <functional>
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"
#include "changes/store.hpp"
#include "mcp/write_note.hpp"
#include "os/folder.hpp"
#include "os/scratch.hpp"
#include "os/state_folder.hpp"

namespace sbx::mcp {
namespace {

constexpr const char* kPrefix = "session-";

Error folder_error(const std::string& what, int error) {
  return os::state_folder_error("cannot make " + what + " for the session's workspace",
                                "it is made in $XDG_STATE_HOME/sbx, or in ~/.local/state/sbx",
                                error);
}

/// What runs have kept and nobody came to bring into a session's workspace any more: of those runs
/// whose workspace is `theirs`. `text` is in the path of each.
void forget_runs(std::string_view text, const std::function<bool(const std::string&)>& theirs) {
  const auto store = changes::Store::open(false);
  const auto runs = store ? store->runs() : std::unexpected(store.error());
  if (!runs) return;
  for (const std::string& run : *runs) {
    // A manifest has other bytes than UTF-8 in digits.
    if (is_utf8(text) && !store->mentions(run, text)) continue;
    auto kept = store->find(run, changes::Store::Use::look);
    if (!kept) continue;
    const auto set = changes::read_changes(*kept);
    if (!set || !theirs(set->workspace)) continue;
    kept->folder.reset();
    if (const auto ours = store->find(run, changes::Store::Use::change)) (void)store->remove(*ours);
  }
}

void remove_everything(int folder, const std::string& path) noexcept {
  try {
    clear_write(folder);
    forget_runs(
        path, [&path](const std::string& workspace) { return workspace.starts_with(path + "/"); });
  } catch (const std::exception& failure) {
    // Not enough memory, say; the folder can go all the same.
    log::write(log::Level::warning, failure.what());
  }
  (void)os::remove_scratch(folder, path.c_str());  // else the next server does it
}

struct Inheritance {
  int folder;
  const std::string* path;
};

void inherit(void* argument) noexcept {
  const auto& what = *static_cast<const Inheritance*>(argument);
  remove_everything(what.folder, *what.path);
}

/// What killed servers have been writing, of which nobody holds the folder any more.
void clear_writes(const os::StateFolder& state) {
  for (const std::string& name :
       os::list_names(state.fd.get()).value_or(std::vector<std::string>{})) {
    if (!name.starts_with(kPrefix)) continue;
    const auto folder =
        os::open_beneath(state.fd.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (folder && ::flock(folder->get(), LOCK_EX | LOCK_NB) == 0) clear_write(folder->get());
  }
}

/// Sessions that nobody holds any more go, and so does what runs have kept for one that is gone: a
/// run of a killed server may have kept it when the heir had been through already.
void sweep(const os::StateFolder& state) {
  clear_writes(state);
  os::sweep_scratches(state.path + "/", kPrefix, ::geteuid(), 1);
  const std::string beginning = state.path + "/" + kPrefix;
  forget_runs(beginning, [&](const std::string& workspace) {
    if (!workspace.starts_with(beginning)) return false;
    const std::string name = workspace.substr(state.path.size() + 1);
    // Now, and not before the run was seen: another server may have made its folder meanwhile.
    const std::string folder = name.substr(0, name.find('/'));
    return ::faccessat(state.fd.get(), folder.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) != 0 &&
           errno == ENOENT;
  });
}

}  // namespace

Result<SessionFolder> SessionFolder::make(const std::string& id) {
  auto state = os::open_state_folder("mcp", true);
  if (!state) return std::unexpected(folder_error("a place", state.error().value));
  sweep(*state);
  // ext4 gives no number of a file that went in the last minutes to a new one, and looks at each
  // such number next to that folder for every file that it makes: where a session with 8,000 files
  // has just ended, the next one's copy takes ten seconds and not half a one.
  os::keep_apart(state->fd.get());
  SessionFolder made(state->path + "/" + kPrefix + id);
  auto folder = os::make_scratch(made.path_.c_str());
  if (!folder) return std::unexpected(folder_error(made.path_, folder.error().value));
  made.folder_ = std::move(*folder);
  Inheritance all{made.folder_.get(), &made.path_};
  auto heir = os::Heir::start(inherit, &all);
  if (!heir) return std::unexpected(folder_error("a process", heir.error().value));
  made.heir_.emplace(std::move(*heir));
  return made;
}

SessionFolder::~SessionFolder() {
  if (folder_.valid()) remove_everything(folder_.get(), path_);
}

Result<os::UniqueFd> SessionFolder::make_folder(const char* name) const {
  if (::mkdirat(folder_.get(), name, 0700) != 0)
    return std::unexpected(folder_error(path_ + "/" + name, errno));
  auto made = os::open_beneath(folder_.get(), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!made) return std::unexpected(folder_error(path_ + "/" + name, made.error().value));
  return std::move(*made);
}

void SessionFolder::remove_folder(const char* name) const {
  (void)::unlinkat(folder_.get(), name, AT_REMOVEDIR);  // it goes with the rest at the latest
}

}  // namespace sbx::mcp
