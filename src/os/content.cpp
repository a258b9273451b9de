#include "os/content.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/fail.hpp"
#include "base/sha256.hpp"

namespace sbx::os {
namespace {

constexpr std::size_t kBlock = 4096;
constexpr std::size_t kBuffer = 64 * kBlock;
constexpr std::array<char, kBlock> kZeros{};

std::string_view bytes_of(const std::uint64_t& number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

SysResult<void> write_at(int fd, std::string_view bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<::off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail();
    at += static_cast<std::uint64_t>(n);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

/// One file on its way: digested, and written where `to` is one.
class Pass {
 public:
  Pass(int from, int to) : from_(from), to_(to) {}

  SysResult<Content> run() {
    struct ::stat what{};
    if (::fstat(from_, &what) != 0) return fail();
    content_.size = static_cast<std::uint64_t>(what.st_size);
    // First, because it says at once that a size is too much for where it goes.
    if (to_ >= 0 && ::ftruncate(to_, what.st_size) != 0) return fail();
    // Most files are small, and there may be a great many.
    const std::uint64_t blocks = (content_.size + kBlock - 1) / kBlock;
    room_ = std::min<std::uint64_t>(kBuffer, blocks * kBlock);
    buffer_ = std::make_unique_for_overwrite<char[]>(room_);
    std::uint64_t at = 0;
    while (at < content_.size) {
      const std::uint64_t data = SBX_TRY(seek(at, SEEK_DATA));
      if (data >= content_.size) break;
      const std::uint64_t hole = std::min(SBX_TRY(seek(data, SEEK_HOLE)), content_.size);
      // A block belongs to the first piece that touches it.
      at = std::max(at, data / kBlock * kBlock);
      while (at < hole) {
        const std::size_t got = SBX_TRY(take(at));
        if (got == 0) break;  // it has shrunk meanwhile
        at += got;
      }
      at = std::max(at, (hole + kBlock - 1) / kBlock * kBlock);
    }
    sum_.put(bytes_of(content_.size));
    content_.digest = sum_.hex();
    return std::move(content_);
  }

 private:
  /// Where data, or a hole, begins from `at` on; the end of the file where there is none.
  SysResult<std::uint64_t> seek(std::uint64_t at, int whence) const {
    const ::off_t found = ::lseek(from_, static_cast<::off_t>(at), whence);
    if (found >= 0) return static_cast<std::uint64_t>(found);
    if (errno == ENXIO) return content_.size;
    // A file system that knows of no holes (lseek(2)): all is data.
    if (errno == EINVAL || errno == EOPNOTSUPP) return whence == SEEK_DATA ? at : content_.size;
    return fail();
  }

  /// Takes up to a buffer of blocks from `at` on, which is a block's beginning.
  SysResult<std::size_t> take(std::uint64_t at) {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(room_, content_.size - at));
    std::size_t got = 0;
    while (got < wanted) {
      const ssize_t n =
          ::pread(from_, buffer_.get() + got, wanted - got, static_cast<::off_t>(at + got));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return fail();
      if (n == 0) break;
      got += static_cast<std::size_t>(n);
    }
    for (std::size_t i = 0; i < got; i += kBlock)
      SBX_CHECK(put({buffer_.get() + i, std::min(kBlock, got - i)}, at + i));
    return got;
  }

  SysResult<void> put(std::string_view block, std::uint64_t at) {
    if (std::memcmp(block.data(), kZeros.data(), block.size()) == 0) return {};
    sum_.put(bytes_of(at));
    sum_.put(block);
    content_.stored += block.size();
    return to_ < 0 ? SysResult<void>{} : write_at(to_, block, at);
  }

  int from_;
  int to_;
  std::size_t room_ = 0;
  std::unique_ptr<char[]> buffer_;
  Sha256 sum_;
  Content content_;
};

}  // namespace

SysResult<Content> digest_content(int fd) { return Pass(fd, -1).run(); }

SysResult<Content> copy_content(int from, int to) { return Pass(from, to).run(); }

}  // namespace sbx::os
