#include "cli/doctor/default_start.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/app.hpp"
#include "cli/commands/run.hpp"
#include "cli/exit_code.hpp"
#include "cli/files.hpp"
#include "os/pipe.hpp"
#include "os/process.hpp"
#include "supervise/add_cause.hpp"

namespace sbx::cli::doctor {
namespace {

/// The child: as a caller would start it, with nobody at its terminal.
[[noreturn]] void run_default(pid_t parent, int result, int messages,
                              const std::vector<std::string>& allowed) noexcept {
  if (!os::die_with_parent(parent)) os::end_process(kFailed);
  const os::UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (nothing.valid()) (void)::dup2(nothing.get(), STDIN_FILENO);
  if (::dup2(result, STDOUT_FILENO) < 0 || ::dup2(messages, STDERR_FILENO) < 0)
    os::end_process(kFailed);
  const auto cwd = current_directory();
  std::vector<std::string> words{"default", "--json", "--timeout", "20s"};
  for (const std::string& control : allowed) words.insert(words.end(), {"--degrade", control});
  words.insert(words.end(), {"--", "true"});
  const auto arguments = parse(*find_verb("run"), words, cwd.value_or("/"));
  os::end_process(arguments ? run_command(*arguments, supervise::now_ns()) : kFailed);
}

/// All of it; nullopt: it did not end in half a minute.
std::optional<std::string> read_all(int fd) {
  const supervise::Nanos until = supervise::now_ns() + 30 * supervise::kSecond;
  std::string text;
  std::array<char, 4096> chunk{};
  for (;;) {
    const supervise::Nanos left = until - supervise::now_ns();
    ::pollfd waiting{fd, POLLIN, 0};
    if (left <= 0) return std::nullopt;
    if (::poll(&waiting, 1, static_cast<int>(left / supervise::kMillisecond) + 1) <= 0) continue;
    const ssize_t got = ::read(fd, chunk.data(), chunk.size());
    if (got > 0) text.append(chunk.data(), static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) return text;
  }
}

/// What it said, without the name that it puts in front of each line.
std::string plain(const std::string& messages) {
  std::vector<std::string> lines;
  for (std::string_view line : split(messages, '\n')) {
    if (line.starts_with("sbx: ")) line.remove_prefix(5);
    if (!line.empty()) lines.emplace_back(line);
  }
  return join(lines, "\n");
}

DefaultStart read_result(const std::string& text, const std::string& messages) {
  const auto result = nlohmann::json::parse(text, nullptr, false);
  if (!result.is_object() || !result.contains("status"))
    return {.error =
                "it ended without a result" + (messages.empty() ? "" : "\n" + plain(messages))};
  const std::string status = result.value("status", "");
  // true need not be there: that was found out inside of the sandbox.
  if (status != "ok" && status != "not_found") return {.error = plain(messages)};
  const auto& isolation = result["isolation"];
  return {.starts = true,
          .tier = isolation.value("tier", "none"),
          .degraded = isolation.value("degraded", std::vector<std::string>{}),
          .setup_ms = result.value("setup_ms", 0.0)};
}

DefaultStart cannot(const char* what, Feature feature) {
  Error error{.kind = ErrorKind::host, .what = what, .sys_errno = errno, .feature = feature};
  supervise::add_cause(error);
  return {.error = error.to_string()};
}

}  // namespace

DefaultStart try_default(const std::vector<std::string>& allowed) {
  auto result = os::make_pipe(0);
  // Written by a child that nobody reads from meanwhile: a pipe could fill up.
  const os::UniqueFd messages(::memfd_create("messages", MFD_CLOEXEC));
  if (!result || !messages.valid())
    return cannot("no descriptors for a run", Feature::system_calls);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return cannot("no process for a run", Feature::pid_namespace);
  if (child == 0) run_default(parent, result->write.get(), messages.get(), allowed);
  result->write.reset();
  const auto text = read_all(result->read.get());
  if (!text) (void)os::signal_child(child, SIGKILL);
  const auto ended = os::wait_for(child);
  if (!text)
    return {.error =
                "it did not start within 30 seconds: something on the way does not answer "
                "(a file system, a filter's listener)"};
  if (!ended) return cannot("its process was lost", Feature::system_calls);
  if (::lseek(messages.get(), 0, SEEK_SET) != 0) return {.error = ::strerror(errno)};
  DefaultStart start = read_result(*text, read_all(messages.get()).value_or(""));
  start.allowed = allowed;
  return start;
}

}  // namespace sbx::cli::doctor
