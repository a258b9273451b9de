#include "cli/live_runs.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/text.hpp"
#include "os/cgroup_remains.hpp"
#include "os/runtime_folder.hpp"
#include "os/unix_socket.hpp"

namespace sbx::cli {
namespace {

using supervise::RunFile;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Connecting takes no time unless a stopped supervisor's queue is full.
constexpr milliseconds kConnectWithin{100};
/// Asked at once; an ordinary limit on descriptors is four times as high.
constexpr std::size_t kAtOnce = 256;

/// One question under way.
struct Asked {
  os::UniqueFd socket;
  std::string line;
  bool open = false;
};

Reply::Kind kind_of(int error) {
  return error == ECONNREFUSED || error == ENOENT ? Reply::Kind::ended : Reply::Kind::silent;
}

void put(Asked& asked, std::string_view line) {
  asked.open = ::send(asked.socket.get(), line.data(), line.size(), MSG_NOSIGNAL) ==
               static_cast<ssize_t>(line.size());
}

/// Reads what there is; closes `asked` when its answer is complete or will never be.
void take(Asked& asked) {
  char bytes[4096];
  const ssize_t got = ::recv(asked.socket.get(), bytes, sizeof bytes, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got > 0) asked.line.append(bytes, static_cast<std::size_t>(got));
  asked.open =
      got > 0 && !asked.line.ends_with('\n') && asked.line.size() <= supervise::kLongestAnswer;
}

void await_answers(std::vector<Asked>& asked, Clock::time_point deadline) {
  while (true) {
    std::vector<struct ::pollfd> watched;
    watched.reserve(asked.size());
    for (const Asked& each : asked)
      watched.push_back({each.open ? each.socket.get() : -1, POLLIN, 0});
    if (std::ranges::none_of(asked, &Asked::open)) return;
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now()).count();
    if (left <= 0 ||
        (::poll(watched.data(), watched.size(), static_cast<int>(left)) < 0 && errno != EINTR))
      return;
    for (std::size_t i = 0; i < asked.size(); ++i)
      if (watched[i].revents != 0) take(asked[i]);
  }
}

void judge(const Asked& asked, Reply& reply) {
  reply.kind = asked.open ? Reply::Kind::silent : Reply::Kind::ended;
  if (!asked.line.ends_with('\n')) return;
  auto answer = supervise::parse_answer(asked.line);
  reply.kind = answer ? Reply::Kind::accepted : Reply::Kind::refused;
  reply.text = answer ? std::move(answer->run) : std::move(answer.error());
}

}  // namespace

Result<LiveRuns> LiveRuns::open() {
  LiveRuns runs;
  auto folder = os::open_runtime_folder(false);
  if (!folder && folder.error().value == ENOENT) return runs;
  if (!folder)
    return std::unexpected(
        Error{.kind = ErrorKind::host,
              .what = "cannot look for live runs",
              .hint = "the folder for them has to be yours, and closed to everybody else: "
                      "$XDG_RUNTIME_DIR/sbx, or see FILES in sbx(1)",
              .sys_errno = folder.error().value});
  runs.folder_ = std::move(*folder);
  os::sweep_cgroups_of(supervise::sweep_run_files(runs.folder_.get()).ended);
  return runs;
}

std::vector<RunFile> LiveRuns::all() const {
  if (!folder_.valid()) return {};
  return supervise::list_run_files(folder_.get());
}

SysResult<os::UniqueFd> LiveRuns::connect(const RunFile& run) const {
  const std::string name = run.name();
  auto socket = os::connect_in(folder_.get(), name.c_str(), kConnectWithin);
  if (!socket && socket.error().value == ECONNREFUSED &&
      supervise::remove_refused(folder_.get(), run))
    os::sweep_cgroups_of({&run.run, 1});
  return socket;
}

bool LiveRuns::is_alive(const RunFile& run) const {
  const auto socket = connect(run);
  return socket || kind_of(socket.error().value) != Reply::Kind::ended;
}

Result<RunFile> LiveRuns::find(std::string_view word) const {
  std::vector<RunFile> found;
  for (RunFile& file : all()) {
    const bool wanted =
        file.given == word || file.run.starts_with(word) || file.run.ends_with(word);
    if (word.empty() || !wanted || !is_alive(file)) continue;
    if (file.run == word) return std::move(file);
    found.push_back(std::move(file));
  }
  if (found.size() == 1) return std::move(found.front());
  Error error{.kind = ErrorKind::usage,
              .what = "no live run is called " + quote(word),
              .hint = "live runs: sbx ps"};
  if (!found.empty()) {
    constexpr std::size_t kMostNamed = 8;
    error.what = quote(word) + " can be any of " + std::to_string(found.size()) + " runs";
    error.hint = "live runs of such a name:";
    for (const RunFile& file : std::span(found).first(std::min(found.size(), kMostNamed)))
      error.hint += " " + file.run;
    if (found.size() > kMostNamed) error.hint += " ...";
  }
  return std::unexpected(std::move(error));
}

std::optional<RunFile> LiveRuns::named(std::string_view name) const {
  for (RunFile& file : all())
    if (file.given == name && is_alive(file)) return std::move(file);
  return std::nullopt;
}

std::vector<Reply> LiveRuns::ask(std::span<const RunFile> runs, const supervise::Request& request,
                                 milliseconds patience) const {
  std::vector<Reply> replies;
  const std::string line = supervise::to_line(request);
  const auto deadline = Clock::now() + patience;
  while (!runs.empty()) {
    const auto batch = runs.first(std::min(runs.size(), kAtOnce));
    runs = runs.subspan(batch.size());
    const std::size_t begin = replies.size();
    std::vector<Asked> asked(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      auto socket = connect(batch[i]);
      replies.push_back(
          {socket ? Reply::Kind::ended : kind_of(socket.error().value), batch[i].run, {}});
      if (!socket) continue;
      asked[i].socket = std::move(*socket);
      put(asked[i], line);
    }
    await_answers(asked, deadline);
    for (std::size_t i = 0; i < batch.size(); ++i)
      if (asked[i].socket.valid()) judge(asked[i], replies[begin + i]);
  }
  return replies;
}

}  // namespace sbx::cli
