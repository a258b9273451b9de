// Runs in the supervisor, and in the verbs that look for live runs.
#include "supervise/registry.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>

#include "base/quantity.hpp"
#include "os/fd.hpp"
#include "os/unix_socket.hpp"

namespace sbx::supervise {
namespace {

constexpr std::string_view kReady = ".sock";
constexpr std::string_view kUnready = ".new";
constexpr std::size_t kLongestRun = 64;

bool is_run_id(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef-";
  return !text.empty() && text.size() <= kLongestRun &&
         text.find_first_not_of(kDigits) == std::string_view::npos;
}

/// Is no process there that could be its supervisor? One with the pid may be another, and then the
/// file waits for `sbx ps`, which asks every socket.
bool pid_is_free(pid_t pid) { return ::kill(pid, 0) != 0 && errno == ESRCH; }

bool is_dead(int folder, const std::string& name) {
  const auto client = os::connect_in(folder, name.c_str(), std::chrono::milliseconds(1));
  return !client && client.error().value == ECONNREFUSED;
}

}  // namespace

std::string RunFile::name() const {
  return run + "." + std::to_string(supervisor) + std::string(ready ? kReady : kUnready);
}

std::optional<RunFile> parse_run_file(std::string_view name) {
  RunFile file;
  file.ready = name.ends_with(kReady);
  if (!file.ready && !name.ends_with(kUnready)) return std::nullopt;
  name.remove_suffix(file.ready ? kReady.size() : kUnready.size());
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos || !is_run_id(name.substr(0, dot))) return std::nullopt;
  const auto pid = parse_number<pid_t>(name.substr(dot + 1));
  if (!pid || *pid <= 0) return std::nullopt;
  file.run = name.substr(0, dot);
  file.supervisor = *pid;
  return file;
}

std::vector<RunFile> list_run_files(int folder) {
  std::vector<RunFile> files;
  // A description of its own: reading moves its position.
  const int own = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(own < 0 ? nullptr : ::fdopendir(own),
                                                    &::closedir);
  if (!listing) {
    if (own >= 0) ::close(own);
    return files;
  }
  while (const dirent* const entry = ::readdir(listing.get()))
    if (auto file = parse_run_file(entry->d_name)) files.push_back(std::move(*file));
  std::ranges::sort(files, {}, &RunFile::run);
  return files;
}

void sweep_run_files(int folder) {
  for (const RunFile& file : list_run_files(folder)) {
    if (!pid_is_free(file.supervisor)) continue;
    const std::string name = file.name();
    // The pid may live in another pid namespace than ours, so the socket has the last word.
    if (is_dead(folder, name)) ::unlinkat(folder, name.c_str(), 0);
  }
}

}  // namespace sbx::supervise
