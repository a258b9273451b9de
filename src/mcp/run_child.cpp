#include "mcp/run_child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/base64.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "os/own_program.hpp"
#include "os/pipe.hpp"
#include "os/process.hpp"

namespace sbx::mcp {
namespace {

using supervise::kNotPolled;
using supervise::Nanos;

constexpr Nanos kPatience = 5 * supervise::kSecond;
constexpr std::size_t kLongestSaid = std::size_t{64} << 10U;
constexpr std::size_t kPiece = 65536;

Error cannot_start(int error) {
  return {.kind = ErrorKind::host, .what = "cannot start sbx run", .sys_errno = error};
}

/// Of an event line, the output that it tells; nullopt: it tells something else.
std::optional<std::string> output_in(const std::string& line) {
  const Json event = Json::parse(line, nullptr, false);
  if (!event.is_object()) return std::nullopt;
  const std::string type = event.value("type", "");
  if (type != "stdout" && type != "stderr") return std::nullopt;
  if (event.contains("base64")) return from_base64(event.value("base64", "")).value_or("");
  return event.value("text", "");
}

}  // namespace

Result<RunChild> RunChild::start(Wish wish) {
  const auto made = [&]() -> SysResult<RunChild> {
    RunChild child;
    auto result = SBX_TRY(os::make_pipe(0));
    auto said = SBX_TRY(os::make_pipe(0));
    os::Pipe input;
    os::Pipe events;
    if (wish.input) {
      input = SBX_TRY(os::make_pipe(0));
      if (!os::set_nonblocking(input.write.get())) return fail();
    } else {
      input.read.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
      if (!input.read.valid()) return fail();
    }
    if (wish.events) events = SBX_TRY(os::make_pipe(0));
    auto started = SBX_TRY(os::start_own_program(
        wish.words, wish.env,
        {input.read.get(), result.write.get(), said.write.get(), events.write.get()}));
    child.pid_ = started.pid;
    child.pidfd_ = std::move(started.pidfd);
    child.input_.fd = std::move(input.write);
    child.input_.text = std::move(wish.input).value_or("");
    child.result_.fd = std::move(result.read);
    child.said_.fd = std::move(said.read);
    child.event_line_.fd = std::move(events.read);
    return child;
  };
  auto child = made();
  if (!child) return std::unexpected(cannot_start(child.error().value));
  child->feed();
  return std::move(*child);
}

RunChild::~RunChild() {
  if (!pidfd_.valid() || pid_ == 0) return;
  (void)os::signal_process(pidfd_.get(), SIGKILL);
  (void)os::wait_for(pid_);
}

void RunChild::watch(supervise::PollSet& set, bool reads) {
  const auto add = [&set](Stream& stream, short events) {
    stream.index = stream.fd.valid() ? set.add(stream.fd.get(), events) : kNotPolled;
  };
  ended_index_ = pid_ == 0 ? kNotPolled : set.add(pidfd_.get(), POLLIN);
  add(input_, POLLOUT);
  add(said_, POLLIN);
  // The result comes when all output is out, and what it is bounded by is the output's limit.
  result_.index = event_line_.index = kNotPolled;
  if (!reads) return;
  add(result_, POLLIN);
  add(event_line_, POLLIN);
}

bool RunChild::read_some(Stream& stream, std::string& to) {
  char bytes[kPiece];
  const ssize_t n = ::read(stream.fd.get(), bytes, sizeof bytes);
  if (n < 0 && errno == EINTR) return true;
  if (n <= 0) {
    stream.fd.reset();
    return false;
  }
  to.append(bytes, static_cast<std::size_t>(n));
  return true;
}

void RunChild::let_go() {
  for (Stream* const stream : {&input_, &result_, &said_, &event_line_}) stream->fd.reset();
}

void RunChild::feed() {
  if (!input_.fd.valid()) return;
  while (!input_.text.empty()) {
    const ssize_t n = ::write(input_.fd.get(), input_.text.data(), input_.text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) break;  // the program does not read it
    input_.text.erase(0, static_cast<std::size_t>(n));
  }
  input_.text.clear();
  input_.fd.reset();
}

void RunChild::hear(const OnOutput& on_output) {
  while (const auto line = events_.next()) {
    if (line->too_long) continue;
    const auto output = output_in(line->text);
    if (output && !output->empty()) on_output(*output);
  }
}

void RunChild::step(const supervise::PollSet& set, const OnOutput& on_output) {
  if (set.revents(input_.index) != 0) feed();
  if (set.revents(said_.index) != 0) {
    std::string piece;
    (void)read_some(said_, piece);
    if (said_.text.size() < kLongestSaid) said_.text += piece;
  }
  if (set.revents(event_line_.index) != 0) {
    std::string piece;
    (void)read_some(event_line_, piece);
    events_.feed(piece);
    hear(on_output);
  }
  // The last of the output comes before the end, of which the result tells.
  if (set.revents(result_.index) != 0) (void)read_some(result_, result_.text);
  if (set.revents(ended_index_) != 0 && pid_ != 0) {
    (void)os::wait_for(pid_);
    pid_ = 0;
  }
}

void RunChild::cancel(Nanos now) {
  if (kill_at_) return;
  kill_at_ = now + kPatience;
  if (pid_ == 0) return;
  // The first would only ask the program to end.
  (void)os::signal_process(pidfd_.get(), SIGTERM);
  (void)os::signal_process(pidfd_.get(), SIGINT);
}

void RunChild::insist(Nanos now) {
  if (!kill_at_ || now < *kill_at_ || pid_ == 0) return;
  kill_at_ = now + kPatience;
  (void)os::signal_process(pidfd_.get(), SIGKILL);
}

Json RunChild::result() const {
  const Json result = Json::parse(result_.text, nullptr, false);
  return result.is_object() ? result : Json();
}

std::string RunChild::complaint() const {
  constexpr std::string_view kPrefix = "sbx: ";
  std::string out;
  for (std::string_view line : split(trim(said_.text), '\n')) {
    if (line.starts_with(kPrefix)) line.remove_prefix(kPrefix.size());
    if (!out.empty()) out += '\n';
    out += line;
  }
  return out;
}

std::string RunChild::kept() const {
  const Json whole = result();
  if (!whole.is_object()) return {};  // ended before it could make one
  const Json changes = whole.value("changes", Json());
  if (!changes.is_object()) return {};
  const Json run = changes.value("run", Json());
  return run.is_string() ? run.get<std::string>() : std::string();
}

}  // namespace sbx::mcp
