#include "mcp/client_line.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "supervise/stdio_setup.hpp"

namespace sbx::mcp {

ClientLine::ClientLine() : sink_(STDOUT_FILENO, supervise::kind_of(STDOUT_FILENO)) {}

void ClientLine::watch(supervise::PollSet& set) {
  // What it sends while it does not read waits, but not that it has closed its end.
  listens_ = !congested();
  in_ = gone_ ? supervise::kNotPolled
              : set.add(STDIN_FILENO, listens_ ? short{POLLIN} : short{POLLRDHUP});
  // Without anything to write, too: it says when the reader is gone.
  out_ = deaf_ ? supervise::kNotPolled
               : set.add(sink_.poll_fd(), waiting() ? short{POLLOUT} : short{0});
}

void ClientLine::write() {
  while (waiting()) {
    const auto taken = sink_.write(std::string_view(queue_).substr(written_));
    if (!taken) {
      deaf_ = gone_ = true;
      return;
    }
    if (*taken == 0) break;
    written_ += *taken;
  }
  if (written_ > queue_.size() / 2) {
    queue_.erase(0, written_);
    written_ = 0;
  }
}

void ClientLine::step(const supervise::PollSet& set) {
  if ((set.revents(out_) & (POLLERR | POLLHUP | POLLNVAL)) != 0) deaf_ = gone_ = true;
  if (!listens_) {
    if (set.revents(in_) != 0) gone_ = true;
  } else if (set.revents(in_) != 0) {
    char bytes[65536];
    const ssize_t n = ::read(STDIN_FILENO, bytes, sizeof bytes);
    if (n > 0)
      reader_.feed({bytes, static_cast<std::size_t>(n)});
    else if (n == 0 || (errno != EINTR && errno != EAGAIN))
      gone_ = true;
  }
  write();
}

void ClientLine::send(const Json& message) {
  if (deaf_) return;
  queue_ += line_of(message);
  write();
}

}  // namespace sbx::mcp
