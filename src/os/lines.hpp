// A long file of lines, read one by one with a bound on their length, by whoever shares the
// descriptor: its offset is not used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace sbx::os {

struct FileLine {
  std::uint64_t offset = 0;  ///< of its first byte
  std::string_view text;     ///< without the line end; valid until the next call
  bool ended = true;         ///< false: the file stops without a line end
};

class LineReader {
 public:
  /// `fd`: a regular file, of which `piece` bytes are read at once.
  LineReader(int fd, std::size_t longest, std::size_t piece = 64UZ * 1024)
      : fd_(fd), longest_(longest), piece_(piece) {}

  /// Nothing: that was the last one. EMSGSIZE: a line is longer than allowed.
  SysResult<std::optional<FileLine>> next();

 private:
  int fd_;
  std::size_t longest_;
  std::size_t piece_;
  std::string buffer_;  ///< what was read and not yet given out, from `begin_` on
  std::size_t begin_ = 0;
  std::uint64_t offset_ = 0;  ///< of buffer_[begin_]
  bool ended_ = false;
};

/// `size` bytes from `offset` on. EIO: the file is shorter.
SysResult<std::string> read_at(int fd, std::uint64_t offset, std::size_t size);

}  // namespace sbx::os
