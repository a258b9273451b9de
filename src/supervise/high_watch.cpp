#include "supervise/high_watch.hpp"

#include <poll.h>

namespace sbx::supervise {

void HighWatch::start(int group) { events_ = os::MemoryEvents(group); }

void HighWatch::watch(PollSet& set) {
  index_ = waiting() ? set.add(events_.fd(), POLLPRI) : kNotPolled;
}

bool HighWatch::crossed(const PollSet& set) {
  // A file of which nobody has read anything yet is ready at once; and other numbers change in it
  // as well.
  if (set.revents(index_) == 0) return false;
  const auto high = events_.high();
  if (high && *high == 0) return false;
  events_ = {};  // told once, or not to be read
  return high.has_value();
}

}  // namespace sbx::supervise
