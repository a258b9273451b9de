// Writes to one of the caller's descriptors without ever blocking on it for long, and without
// touching its flags: the open file behind it is shared with the caller and whoever else holds it.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/error.hpp"
#include "os/fd.hpp"
#include "supervise/stdio.hpp"

namespace sbx::supervise {

class Sink {
 public:
  Sink() = default;  ///< takes everything and keeps nothing
  /// `fd` stays the caller's.
  Sink(int fd, FileKind kind);

  /// How many bytes were taken; 0: it would block, wait for POLLOUT on poll_fd().
  SysResult<std::size_t> write(std::string_view bytes);
  /// Cuts the last `bytes` off again. Of a regular file, and when nobody has written behind them.
  void cut_back(std::size_t bytes);
  [[nodiscard]] int poll_fd() const { return own_.valid() ? own_.get() : fd_; }
  /// splice(2) from a pipe into poll_fd() can work and will not block on a reader.
  [[nodiscard]] bool can_splice() const { return splices_; }

 private:
  enum class Way {
    discard,
    file,      ///< write(2): at most the disk is slow
    socket,    ///< send(2) with MSG_DONTWAIT
    own_file,  ///< a second open file for the same pipe or terminal, non-blocking
    cautious,  ///< write(2) of at most PIPE_BUF bytes, and only after POLLOUT
  };

  Way way_ = Way::discard;
  int fd_ = -1;
  os::UniqueFd own_;
  bool splices_ = false;
};

}  // namespace sbx::supervise
