#include "os/lines.hpp"

#include <unistd.h>

#include <cerrno>

namespace sbx::os {
namespace {

/// Reads up to `size` bytes to the end of `buffer`; 0 at the end of the file.
SysResult<std::size_t> append_from(int fd, std::uint64_t offset, std::size_t size,
                                   std::string& buffer) {
  const std::size_t before = buffer.size();
  buffer.resize(before + size);
  ssize_t got = -1;
  do {
    got = ::pread(fd, buffer.data() + before, size, static_cast<off_t>(offset));
  } while (got < 0 && errno == EINTR);
  const int error = errno;
  buffer.resize(before + (got > 0 ? static_cast<std::size_t>(got) : 0));
  if (got < 0) return std::unexpected(Errno{error});
  return static_cast<std::size_t>(got);
}

}  // namespace

SysResult<std::optional<FileLine>> LineReader::next() {
  std::size_t looked_at = begin_;
  std::size_t end = std::string::npos;
  while ((end = buffer_.find('\n', looked_at)) == std::string::npos && !ended_) {
    if (buffer_.size() - begin_ > longest_) return std::unexpected(Errno{EMSGSIZE});
    buffer_.erase(0, begin_);
    begin_ = 0;
    looked_at = buffer_.size();
    ended_ = SBX_TRY(append_from(fd_, offset_ + buffer_.size(), piece_, buffer_)) == 0;
  }
  const bool has_end = end != std::string::npos;
  if (!has_end) end = buffer_.size();
  if (end - begin_ > longest_) return std::unexpected(Errno{EMSGSIZE});
  if (!has_end && end == begin_) return std::nullopt;
  const FileLine line{offset_, std::string_view(buffer_).substr(begin_, end - begin_), has_end};
  const std::size_t taken = line.text.size() + (has_end ? 1 : 0);
  begin_ += taken;
  offset_ += taken;
  return line;
}

SysResult<std::string> read_at(int fd, std::uint64_t offset, std::size_t size) {
  std::string text;
  while (text.size() < size)
    if (SBX_TRY(append_from(fd, offset + text.size(), size - text.size(), text)) == 0)
      return std::unexpected(Errno{EIO});
  return text;
}

}  // namespace sbx::os
