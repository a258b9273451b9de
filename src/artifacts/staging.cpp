#include "artifacts/staging.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "os/folder.hpp"
#include "os/whole_file.hpp"

namespace sbx::artifacts {
namespace {

constexpr std::size_t kBuffer = 256UL * 1024;
constexpr std::size_t kHead = 256UL * 1024;
constexpr int kSweptAtOnce = 16;  // expired runs that one run removes

std::unexpected<CopyFailure> unreadable(int error) {
  return std::unexpected(CopyFailure{false, error});
}
std::unexpected<CopyFailure> unwritable(int error) {
  return std::unexpected(CopyFailure{true, error});
}

/// What of a file was kept on its way.
class Passage {
 public:
  Passage(int to, std::uint64_t most) : to_(to), most_(most) {}

  std::expected<void, CopyFailure> put(std::string_view bytes) {
    if (bytes.size() > most_ - copied_.bytes) return unreadable(EFBIG);  // it grows
    copied_.bytes += bytes.size();
    sum_.put(bytes);
    if (copied_.head.size() < kHead) copied_.head += bytes.substr(0, kHead - copied_.head.size());
    if (const auto written = os::write_all(to_, bytes); !written)
      return unwritable(written.error().value);
    return {};
  }
  Copied finish() {
    copied_.sha256 = sum_.hex();
    return std::move(copied_);
  }

 private:
  int to_;
  std::uint64_t most_;
  Copied copied_;
  Sha256 sum_;
};

/// What is read of `from` goes to `to`, and no more than `most` of it.
std::expected<Copied, CopyFailure> copy_bytes(int from, int to, std::uint64_t most,
                                              const TextFilter& filter,
                                              const std::function<bool()>& ended) {
  Passage passage(to, most);
  std::string buffer(kBuffer, '\0');
  std::string kept;
  std::optional<bool> filtered;
  for (;;) {
    if (ended && ended()) return unreadable(EINTR);
    const ssize_t n = ::read(from, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return unreadable(errno);
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(n));
    if (!filtered) filtered = filter && !bytes.contains('\0');
    kept.clear();
    if (*filtered) filter(bytes, n == 0, kept);
    if (const auto put = passage.put(*filtered ? std::string_view(kept) : bytes); !put)
      return std::unexpected(put.error());
    if (n == 0) return passage.finish();
  }
}

}  // namespace

Result<Staging> Staging::make(const std::string& run) {
  const Store store = SBX_TRY(Store::open(true));
  Opened opened = SBX_TRY(store.opened(Use::change));
  SBX_CHECK(opened.sweep());
  Staging staging(store.place(), run);
  const auto cannot = [&store](int error) {
    return std::unexpected(
        store_error("cannot make a folder in " + quote(store.place()->path), error));
  };
  const int top = store.place()->folder.get();
  if (::mkdirat(top, "staging", 0700) != 0 && errno != EEXIST) return cannot(errno);
  auto parent = os::open_beneath(top, "staging", O_RDONLY | O_DIRECTORY);
  if (!parent) return cannot(parent.error().value);
  if (::mkdirat(parent->get(), run.c_str(), 0700) != 0) return cannot(errno);
  auto folder = os::open_beneath(parent->get(), run.c_str(), O_RDONLY | O_DIRECTORY);
  if (!folder) return cannot(folder.error().value);
  staging.lock_ =
      os::UniqueFd(::openat(folder->get(), "lock", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!staging.lock_.valid() || ::flock(staging.lock_.get(), LOCK_EX | LOCK_NB) != 0)
    return cannot(errno);
  staging.parent_ = std::move(*parent);
  staging.folder_ = std::move(*folder);
  return staging;
}

Staging::~Staging() {
  if (!folder_.valid()) return;
  // What cannot be done now is left to the next run: nobody holds the folder any more then.
  if (::flock(place_->lock.get(), LOCK_EX | LOCK_NB) != 0) return;
  if (auto store = Opened::open(place_, Use::change)) (void)clear(*store);
}

void Staging::remove_leftovers() {
  const auto store = Store::open(false);
  // In passing only: whoever holds the lock is not waited for.
  if (!store || !store->exists() || ::flock(store->place()->lock.get(), LOCK_EX | LOCK_NB) != 0)
    return;
  if (auto opened = store->opened(Use::change)) (void)opened->sweep();
}

std::expected<Copied, CopyFailure> Staging::copy(int fd, std::uint64_t most,
                                                 const TextFilter& filter,
                                                 const std::function<bool()>& ended) {
  const std::string name = std::to_string(made_++);
  const os::UniqueFd to(
      ::openat(folder_.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400));
  if (!to.valid()) return unwritable(errno);
  auto copied = copy_bytes(fd, to.get(), most, filter, ended);
  // Where the run has the same content twice, this is a second copy of it in the first's place.
  if (copied && damaged(copied->sha256)) damaged_.insert(copied->sha256);
  const int left =
      copied ? ::renameat(folder_.get(), name.c_str(), folder_.get(), copied->sha256.c_str())
             : ::unlinkat(folder_.get(), name.c_str(), 0);
  if (left != 0 && copied) return unwritable(errno);
  return copied;
}

bool Staging::damaged(const std::string& digest) const {
  const auto objects = Objects::open(place_->folder.get());
  const auto file =
      objects ? objects->read(digest) : SysResult<os::UniqueFd>(std::unexpected(Errno{}));
  if (!file) return false;
  const auto found = digest_of(file->get());
  return !found || *found != digest;
}

Result<void> Staging::give_places(Opened& store, const std::vector<Artifact>& artifacts) const {
  std::vector<std::string> added;
  for (const Artifact& artifact : artifacts) {
    if (store.objects().has(artifact.sha256, artifact.bytes) && !damaged_.contains(artifact.sha256))
      continue;
    const auto cannot = [&artifact](int error) {
      return std::unexpected(store_error("cannot keep " + quote(artifact.path), error));
    };
    // On the disk before it has a name: with that name it would be taken for whole, by later runs
    // too.
    const os::UniqueFd file(
        ::openat(folder_.get(), artifact.sha256.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!file.valid() || ::fdatasync(file.get()) != 0) return cannot(errno);
    if (const auto named = store.objects().add(artifact.sha256, folder_.get(), artifact.sha256);
        !named)
      return cannot(named.error().value);
    added.push_back(artifact.sha256);
  }
  // The index's entry, which comes next, is synced, and is not to outlive the names.
  if (const auto synced = store.objects().sync(added); !synced)
    return std::unexpected(
        store_error("cannot write the artifacts to the disk", synced.error().value));
  return {};
}

Result<void> Staging::commit(const Run& run, const Story& story,
                             const std::vector<Artifact>& artifacts) {
  Opened store = SBX_TRY(Opened::open(place_, Use::change));
  auto done = give_places(store, artifacts);
  if (done) {
    Transaction transaction = SBX_TRY(store.index().begin());
    done = store.index().add(run, story, artifacts);
    if (done) done = transaction.commit();
  }
  (void)clear(store);
  SBX_CHECK(std::move(done));
  // What cannot be removed now is there for the next run, or for `sbx artifacts gc`.
  if (const auto over = store.index().expired(run.ended_at, kSweptAtOnce))
    (void)store.remove(*over);
  return {};
}

Result<void> Staging::clear(Opened& store) {
  lock_.reset();  // with the store's nobody needs it, and on NFS what is open cannot go
  const os::UniqueFd folder = std::move(folder_);
  return store.settle(parent_.get(), name_, folder.get());
}

}  // namespace sbx::artifacts
