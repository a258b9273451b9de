#include "os/tree_sample.hpp"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/quantity.hpp"
#include "os/cgroup_file.hpp"
#include "os/cgroup_find.hpp"
#include "os/gone.hpp"

namespace sbx::os {
namespace {

// Of a tree that grows while it is read. Nobody's deadline waits for a look to end.
constexpr std::size_t kMaxProcesses = 4096;
constexpr std::size_t kMaxList = 65'536;  // bytes of a list of children, about 8000 of them
constexpr std::chrono::milliseconds kPatience{100};

using Clock = std::chrono::steady_clock;

std::string folder_of(const std::string& pid) { return "/proc/" + pid; }

std::uint64_t number(const std::string& text) {
  return parse_number<std::uint64_t>(text).value_or(0);
}

/// The processes of a tree, in the order in which they were found, each once.
class Processes {
 public:
  void add(std::string pid) {
    if (all_.size() < kMaxProcesses && known_.insert(pid).second) all_.push_back(std::move(pid));
  }
  [[nodiscard]] bool full() const { return all_.size() == kMaxProcesses; }
  [[nodiscard]] const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_{};
  std::unordered_set<std::string> known_{};
};

/// Reads what is still there, and remembers what else kept it from that.
class Look {
 public:
  std::string text(const std::string& path, std::size_t most = SIZE_MAX) {
    auto text = look_at_kernel_text(path, most);
    if (!text) note(text.error().value);
    return std::move(text).value_or(std::string());
  }

  /// Those that are numbers.
  std::vector<std::string> numbers(const std::string& folder) {
    std::vector<std::string> names;
    const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(folder.c_str()), &::closedir);
    if (!listing) note(errno);
    while (const dirent* const entry = listing ? ::readdir(listing.get()) : nullptr)
      if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
    return names;
  }

  void note(int error) {
    if (failure_ == 0 && !is_gone(error)) failure_ = error;
  }

  [[nodiscard]] int failure() const { return failure_; }

 private:
  int failure_ = 0;
};

/// Each thread has the children that it forked itself (proc(5), /proc/PID/task/TID/children).
void add_children(const std::string& pid, Look& look, Processes& found) {
  const std::string tasks = folder_of(pid) + "/task";
  for (const std::string& thread : look.numbers(tasks)) {
    const std::string list = std::string(tasks).append("/").append(thread).append("/children");
    for (std::string& child : words_of(look.text(list, kMaxList), ' ')) found.add(std::move(child));
  }
}

/// "Key:   12 kB", in bytes.
std::uint64_t kib_line(const std::string& text, const std::string& key) {
  const std::size_t at = text.find("\n" + key + ":");
  if (at == std::string::npos) return 0;
  std::string_view line = std::string_view(text).substr(at + key.size() + 2);
  line = line.substr(0, line.find('\n'));
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t")));
  return number(std::string(line.substr(0, line.find(' ')))) * 1024;
}

std::uint64_t resident(const std::string& pid, Look& look) {
  const std::string status = look.text(folder_of(pid) + "/status");
  return kib_line(status, "RssAnon") + kib_line(status, "RssShmem");
}

/// What is shared counts in parts. Not to be read of a process that made itself undumpable
/// (ptrace(2)): its pages then count in full.
std::uint64_t proportional(const std::string& pid, Look& look) {
  const auto rollup = look_at_kernel_text(folder_of(pid) + "/smaps_rollup");
  if (!rollup && rollup.error().value != EACCES) look.note(rollup.error().value);
  if (!rollup || rollup->empty()) return resident(pid, look);
  return kib_line(*rollup, "Pss_Anon") + kib_line(*rollup, "Pss_Shmem");
}

std::uint64_t to_us(std::uint64_t ticks) {
  return ticks * 1'000'000 / static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_CLK_TCK)));
}

}  // namespace

/// From /proc/PID/stat. The name in it may hold anything, a ')' too.
std::optional<ProcessTime> read_process_time(const std::string& pid) {
  const std::string stat = read_kernel_text(folder_of(pid) + "/stat");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  const std::vector<std::string> fields =
      words_of(std::string_view(stat).substr(name_end + 1), ' ');
  constexpr std::size_t kTimes = 11;  // utime is field 14, and field 3 the first behind the name
  constexpr std::size_t kStarted = 19;
  if (fields.size() <= kStarted) return std::nullopt;
  const auto us = [&fields](std::size_t nth) { return to_us(number(fields[kTimes + nth])); };
  return ProcessTime{pid, number(fields[kStarted]), {us(0), us(1)}, {us(2), us(3)}};
}

SysResult<TreeSample> sample_tree(pid_t root, std::uint64_t enough) {
  Look look;
  Processes found;
  found.add(std::to_string(root));
  const Clock::time_point until = Clock::now() + kPatience;
  TreeSample sample;
  std::size_t looked_at = 0;
  for (; looked_at < found.all().size() && Clock::now() < until; ++looked_at) {
    const std::string pid = found.all()[looked_at];
    sample.clocks.add(parse_number<pid_t>(pid).value_or(0));
    add_children(pid, look, found);
  }
  if (found.full() || looked_at < found.all().size()) sample.clocks.miss();
  const std::vector<std::string>& pids = found.all();
  if (::access(folder_of(pids.front()).c_str(), F_OK) != 0) return std::unexpected(Errno{ESRCH});
  sample.processes = static_cast<int>(pids.size());
  for (const std::string& pid : pids) {
    if (Clock::now() >= until) {
      sample.clocks.miss();
      break;
    }
    sample.memory += resident(pid, look);
    if (auto time = read_process_time(pid)) sample.times.push_back(*std::move(time));
  }
  if (sample.memory > enough) {
    sample.memory = 0;
    for (const std::string& pid : pids) sample.memory += proportional(pid, look);
  }
  if (look.failure() != 0) return std::unexpected(Errno{look.failure()});
  return sample;
}

}  // namespace sbx::os
