// Runs in the supervisor, and in the verbs that look for live runs.
#include "supervise/registry.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <span>
#include <utility>

#include "base/ascii.hpp"
#include "base/quantity.hpp"
#include "base/utc.hpp"
#include "os/entries.hpp"
#include "os/process.hpp"
#include "os/unix_socket.hpp"

namespace sbx::supervise {
namespace {

constexpr std::string_view kSuffix = ".sock";
constexpr std::size_t kLongestRun = 64;
constexpr std::size_t kIdSize = 24;  // of those that we make (cli/prepare.cpp)
constexpr std::chrono::seconds kSettled{10};

bool is_run_id(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef-";
  return !text.empty() && text.size() <= kLongestRun &&
         text.find_first_not_of(kDigits) == std::string_view::npos;
}

/// Is no process there that could be its supervisor? One with the pid may be another, and then the
/// file waits for `sbx ps`, which asks every socket.
bool pid_is_free(pid_t pid) { return ::kill(pid, 0) != 0 && errno == ESRCH; }

constexpr std::size_t kAtOnce = 32;  // descriptors

/// Which of these, at most kAtOnce, have ended, collected or not? Who kills a run need not wait for
/// it (waitpid(2)).
std::bitset<kAtOnce> which_have_ended(std::span<const RunFile> files) {
  std::array<os::UniqueFd, kAtOnce> processes;
  std::array<::pollfd, kAtOnce> watched{};
  std::bitset<kAtOnce> ended;
  for (std::size_t i = 0; i < files.size(); ++i) {
    auto process = os::open_process(files[i].supervisor);
    ended[i] = !process && process.error().value == ESRCH;
    if (process) processes[i] = std::move(*process);
    watched[i] = {processes[i].get(), POLLIN, 0};
  }
  if (::poll(watched.data(), files.size(), 0) <= 0) return ended;
  for (std::size_t i = 0; i < files.size(); ++i) ended[i] = ended[i] || watched[i].revents != 0;
  return ended;
}

/// Names of runs that began before it are less (cli/prepare.cpp): those are looked at for longer,
/// and many that live at once have mostly just begun.
std::string name_of_one_begun(std::chrono::seconds ago) {
  const UtcTime then = utc_time(std::chrono::system_clock::now() - ago);
  std::array<char, 96> name{};
  (void)std::snprintf(name.data(), name.size(), "%04d%02u%02u-%02d%02d%02d", then.year, then.month,
                      then.day, then.hour, then.minute, then.second);
  return name.data();
}

bool refuses(int folder, const std::string& name) {
  const auto client = os::connect_in(folder, name.c_str(), std::chrono::milliseconds(1));
  return !client && client.error().value == ECONNREFUSED;
}

// To look at each other is a tenth of the processor time of a start where 200 live.
constexpr std::size_t kMany = 16;
constexpr const char* kSwept = "swept";  // a file with the time of it, where many live

bool was_swept_just_now(int folder) {
  struct ::stat what{};
  if (::fstatat(folder, kSwept, &what, AT_SYMLINK_NOFOLLOW) != 0) return false;
  const auto then = std::chrono::system_clock::from_time_t(what.st_mtim.tv_sec) +
                    std::chrono::nanoseconds(what.st_mtim.tv_nsec);
  const auto ago = std::chrono::system_clock::now() - then;
  return ago >= ago.zero() && ago < std::chrono::seconds(1);  // nor is it of a clock since put back
}

void note_sweep(int folder) {
  const os::UniqueFd file(
      ::openat(folder, kSwept, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (file.valid()) (void)::futimens(file.get(), nullptr);  // else all look
}

/// Between bind(2) and listen(2) it takes microseconds.
bool is_recent(int folder, const std::string& name) {
  struct ::stat what{};
  return ::fstatat(folder, name.c_str(), &what, AT_SYMLINK_NOFOLLOW) != 0 ||
         what.st_mtim.tv_sec + kSettled.count() > ::time(nullptr);
}

}  // namespace

std::string RunFile::name() const {
  return run + "." + std::to_string(supervisor) + (given.empty() ? "" : "." + given) +
         std::string(kSuffix);
}

bool is_given_name(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  const auto fits = [](char c) { return is_alnum(c) || c == '_' || c == '-' || c == '.'; };
  return !text.empty() && text.size() <= kLongest && is_alnum(text.front()) &&
         std::ranges::all_of(text, fits) && (text.size() > kIdSize || !is_run_id(text));
}

std::optional<RunFile> parse_run_file(std::string_view name) {
  if (!name.ends_with(kSuffix)) return std::nullopt;
  name.remove_suffix(kSuffix.size());
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos || !is_run_id(name.substr(0, dot))) return std::nullopt;
  std::string_view given;
  if (const std::size_t second = name.find('.', dot + 1); second != std::string_view::npos) {
    given = name.substr(second + 1);
    if (!is_given_name(given)) return std::nullopt;
    name = name.substr(0, second);
  }
  const auto pid = parse_number<pid_t>(name.substr(dot + 1));
  if (!pid || *pid <= 0) return std::nullopt;
  return RunFile{std::string(name.substr(0, dot)), *pid, std::string(given)};
}

std::vector<RunFile> list_run_files(int folder) {
  std::vector<RunFile> files;
  // A folder that cannot be read has none.
  (void)os::each_entry(folder, [&files](const ::dirent64& entry) -> SysResult<void> {
    if (auto file = parse_run_file(entry.d_name)) files.push_back(std::move(*file));
    return {};
  });
  std::ranges::sort(files, {}, &RunFile::run);
  return files;
}

Swept sweep_run_files(int folder) {
  const std::vector<RunFile> files = list_run_files(folder);
  Swept swept;
  swept.left.reserve(files.size());
  const auto take = [&](const RunFile& file, bool ended) {
    // The pid may live in another pid namespace than ours, so the socket has the last word.
    const bool gone = ended && refuses(folder, file.name());
    if (gone) ::unlinkat(folder, file.name().c_str(), 0);
    (gone ? swept.ended : swept.left).push_back(file.run);
  };
  std::span<const RunFile> rest(files);
  const bool alone = files.size() == 1 && files.front().supervisor == ::getpid();  // as mostly
  const std::string settled = alone ? std::string() : name_of_one_begun(kSettled);
  while (!rest.empty() && rest.front().run < settled) {
    const auto some = rest.first(std::min(rest.size(), kAtOnce));
    const auto ended = which_have_ended(some);
    for (std::size_t i = 0; i < some.size(); ++i) take(some[i], ended[i]);
    rest = rest.subspan(some.size());
  }
  for (const RunFile& file : rest) take(file, pid_is_free(file.supervisor));
  return swept;
}

std::optional<Swept> sweep_in_turn(int folder) {
  if (was_swept_just_now(folder)) return std::nullopt;
  Swept swept = sweep_run_files(folder);
  if (swept.left.size() > kMany) note_sweep(folder);
  return swept;
}

bool remove_refused(int folder, const RunFile& file) {
  const std::string name = file.name();
  const bool ended = pid_is_free(file.supervisor) || which_have_ended({&file, 1})[0];
  return (ended || !is_recent(folder, name)) && ::unlinkat(folder, name.c_str(), 0) == 0;
}

}  // namespace sbx::supervise
