// Reading tar archives and what compresses them; libarchive only here. Every byte of them is
// hostile: whatever is read is counted, and digested before and after it is decompressed.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace sbx::images {

/// A part of an open file.
struct Window {
  int fd = -1;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// What may still be decompressed, over all layers.
struct Budget {
  std::uint64_t bytes = 0;
  std::uint64_t entries = 0;
};
/// One more file or folder, whether the archive names it or only what is in it.
Result<void> take_entry(Budget& budget);

enum class MemberType { file, folder, symlink, hardlink, other };

struct Member {
  MemberType type = MemberType::other;
  std::string name{};
  std::string target{};  ///< of either kind of link
  unsigned mode = 0;
  std::uint64_t size = 0;
  std::int64_t modified = 0;  ///< seconds
  std::uint32_t modified_ns = 0;
  std::uint64_t position = 0;  ///< where its content begins, in an archive that is not compressed
};

/// A layer: gzip, zstd or nothing, and a tar archive in it.
class LayerReader {
 public:
  static Result<LayerReader> open(const Window& window, Budget& budget);
  LayerReader(LayerReader&&) noexcept;
  LayerReader& operator=(LayerReader&&) = delete;
  ~LayerReader();

  /// The next member; false at the end.
  Result<bool> next(Member& member);
  /// The next piece of its content and where it belongs, which leaves holes out; false at its end.
  Result<bool> data(std::string_view& bytes, std::uint64_t& offset);
  /// Reads what follows the last member, so that the digests are those of all of it.
  Result<void> finish();
  [[nodiscard]] std::string digest() const;  ///< as it is stored
  [[nodiscard]] std::string unpacked_digest() const;

 private:
  struct State;
  explicit LayerReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Tells `see` of each member of the tar archive that the file `fd` is, not compressed.
Result<void> list_members(int fd, std::uint64_t max_members,
                          const std::function<void(const Member&)>& see);

/// Is the file compressed in a way that is known?
Result<bool> is_compressed(int fd);
/// Decompresses it; at most `budget` bytes.
Result<void> decompress(int fd, int to, Budget& budget);

}  // namespace sbx::images
