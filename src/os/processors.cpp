#include "os/processors.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <string_view>

#include "os/fd.hpp"

namespace sbx::os {
namespace {

constexpr int kUnknown = -1;

/// How many threads of the host run or could: the fourth word of /proc/loadavg is "RUNNING/ALL".
int runnable() noexcept {
  const UniqueFd file(::open("/proc/loadavg", O_RDONLY | O_CLOEXEC));
  char text[128];
  const ssize_t size = file.valid() ? ::read(file.get(), text, sizeof text) : 0;
  std::string_view words(text, size > 0 ? static_cast<std::size_t>(size) : 0);
  words = words.substr(0, words.find('/'));
  words.remove_prefix(words.find_last_of(' ') + 1);
  int count = kUnknown;
  (void)std::from_chars(words.data(), words.data() + words.size(), count);
  return count;
}

}  // namespace

Processors Processors::usable() noexcept {
  Processors usable;
  if (::sched_getaffinity(0, sizeof usable.all_, &usable.all_) != 0) CPU_ZERO(&usable.all_);
  const int count = CPU_COUNT(&usable.all_);
  usable.busy_ = runnable() >= count;  // we ourselves are one of them
  return usable;
}

void Processors::send_away(pid_t child) const noexcept {
  const int ours = ::sched_getcpu();
  if (busy_ || ours < 0) return;
  cpu_set_t others = all_;
  CPU_CLR(static_cast<unsigned>(ours), &others);
  // Where a host refuses it, the child waits a little longer.
  (void)::sched_setaffinity(child, sizeof others, &others);
}

void Processors::take_all() const noexcept {
  // Refused only where send_away() was, or when none of them is in the cpuset that we have joined
  // since: that has undone it, too (cpuset(7)).
  if (!busy_) (void)::sched_setaffinity(0, sizeof all_, &all_);
}

}  // namespace sbx::os
