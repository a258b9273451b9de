// The descriptors of one poll(2), collected anew in each round by everyone who waits for something.
#pragma once

#include <poll.h>

#include <cstddef>
#include <vector>

namespace sbx::supervise {

class PollSet {
 public:
  /// `events` 0 still reports POLLERR and POLLHUP.
  std::size_t add(int fd, short events) {
    fds_.push_back({fd, events, 0});
    return fds_.size() - 1;
  }
  void clear() { fds_.clear(); }
  [[nodiscard]] short revents(std::size_t index) const {
    return index < fds_.size() ? fds_[index].revents : short{0};
  }
  pollfd* data() { return fds_.data(); }
  [[nodiscard]] nfds_t size() const { return fds_.size(); }

 private:
  std::vector<pollfd> fds_;
};

/// "Not in the set": revents() of it is 0.
constexpr std::size_t kNotPolled = static_cast<std::size_t>(-1);

}  // namespace sbx::supervise
