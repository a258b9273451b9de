#include "artifacts/collect.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "artifacts/media_type.hpp"
#include "artifacts/walk.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"

namespace sbx::artifacts {
namespace {

constexpr std::size_t kLongestPath = 4095;  // PATH_MAX, without the 0
constexpr std::size_t kNamed = 5;           // of those that are left, in a warning

/// Files of one kind that were left.
class Left {
 public:
  void add(const std::string& path) {
    if (names_.size() < kNamed) names_.push_back(quote(path));
    ++count_;
  }
  [[nodiscard]] bool any() const { return count_ != 0; }
  /// "3 files: a, b, c"
  [[nodiscard]] std::string text() const {
    std::string text = std::to_string(count_) + (count_ == 1 ? " file: " : " files: ");
    text += join(names_, ", ");
    if (count_ > names_.size()) text += " and " + std::to_string(count_ - names_.size()) + " more";
    return text;
  }

 private:
  std::vector<std::string> names_{};
  std::uint64_t count_ = 0;
};

class Collector {
 public:
  Collector(std::optional<os::Ids> ids, const Wish& wish, Staging& staging)
      : wish_(wish), staging_(staging), types_(ids) {}

  bool wants(const Found& found) {
    ended_ = ended_ || (wish_.ended && wish_.ended());
    if (ended_) return false;
    if (std::ranges::find(wish_.never, found.path) != wish_.never.end()) return false;
    if (wish_.hides && wish_.hides(found.path)) return false;
    if (collection_.artifacts.size() >= wish_.max_files) {
      too_many_.add(found.path);
      return false;
    }
    // Names are told and kept as well, in the supervisor's own memory.
    if (found.path.size() > kLongestPath) {
      ++long_;
      return false;
    }
    if (wish_.tells && !wish_.tells(found.path)) {
      ++untold_;
      return false;
    }
    // By what it claims, before a byte is read: a hole costs its maker nothing.
    if (static_cast<std::uint64_t>(found.what.st_size) > room()) {
      too_large_.add(found.path);
      return false;
    }
    return true;
  }

  Result<void> take(const Found& found, const os::UniqueFd& file) {
    auto copied = staging_.copy(file.get(), room(), wish_.filter ? wish_.filter() : TextFilter{},
                                wish_.ended);
    if (copied) {
      used_ += copied->bytes;
      collection_.artifacts.push_back(
          {found.path, copied->bytes, std::move(copied->sha256), types_.of(copied->head)});
      return {};
    }
    const CopyFailure& failure = copied.error();
    ended_ = !failure.of_store && failure.error == EINTR;
    if (ended_) return {};
    if (failure.of_store)
      return std::unexpected(store_error("cannot copy " + quote(found.path), failure.error));
    (failure.error == EFBIG ? too_large_ : unreadable_).add(found.path);
    return {};
  }

  Result<Collection> finish(const Skipped& skipped) {
    if (ended_ || (wish_.ended && wish_.ended()))
      return std::unexpected(
          Error{.kind = ErrorKind::host, .what = "sbx was asked to end while it collected them"});
    if (too_large_.any())
      warn(too_large_.text() + ": more than artifacts.max (" + format_bytes(wish_.max_bytes) +
           ") allows for all together");
    if (too_many_.any())
      warn(too_many_.text() + ": more than artifacts.max_files (" +
           std::to_string(wish_.max_files) + ") allows");
    if (unreadable_.any()) warn(unreadable_.text() + ": reading failed");
    count(long_, "files whose paths are longer than a program can name");
    count(untold_, "files whose names contain a secret");
    for (const std::string& link : skipped.written_links)
      warn("what " + quote(link) +
           " leads to, which a pattern has to name: symbolic links are not followed");
    count(skipped.links, "symbolic links, which are not followed");
    count(skipped.special, "FIFOs, sockets, devices and files of the kernel's own");
    count(skipped.closed, "files and folders that the command could not have read");
    count(skipped.deep, "folders nested too deep");
    if (skipped.too_many) warn("folders that would make it more than a million names");
    if (!types_.problem().empty()) collection_.warnings.push_back(types_.problem());
    return std::move(collection_);
  }

 private:
  [[nodiscard]] std::uint64_t room() const { return wish_.max_bytes - used_; }
  void warn(const std::string& what) {
    collection_.warnings.push_back("not kept of the artifacts: " + what);
  }
  void count(std::uint64_t number, const std::string& kind) {
    if (number != 0) warn(kind + ": " + std::to_string(number));
  }

  const Wish& wish_;
  Staging& staging_;
  MediaTypes types_;
  Collection collection_{};
  std::uint64_t used_ = 0;
  Left too_large_{};
  Left too_many_{};
  Left unreadable_{};
  std::uint64_t untold_ = 0;
  std::uint64_t long_ = 0;
  bool ended_ = false;
};

}  // namespace

Result<Collection> collect(int root, std::optional<os::Ids> ids, const Wish& wish,
                           Staging& staging) {
  Collector collector(ids, wish, staging);
  Walk walk(root, ids, wish.patterns);
  SBX_CHECK(walk.run(
      [&](const Found& found) { return collector.wants(found); },
      [&](const Found& found, const os::UniqueFd& file) { return collector.take(found, file); }));
  return collector.finish(walk.skipped());
}

}  // namespace sbx::artifacts
