#include "artifacts/media_type.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>

#include "artifacts/artifact.hpp"
#include "artifacts/magic.hpp"
#include "base/ascii.hpp"
#include "os/confine.hpp"
#include "os/process.hpp"

namespace sbx::artifacts {
namespace {

constexpr std::uint32_t kMost = 1U << 20U;        // of a head
constexpr std::size_t kLongest = 127;             // of a type
constexpr std::uint64_t kMemory = 512ULL << 20U;  // the database alone is mapped with 8 MiB
constexpr std::chrono::seconds kPatience{5};      // with an answer, whatever the child does
constexpr int kMostFailures = 8;

/// The first answer: is there a database?
constexpr char kReady = 'r';
constexpr char kNoDatabase = 'n';

bool read_all(int fd, char* to, std::size_t size) noexcept {
  while (size > 0) {
    const ssize_t n = ::read(fd, to, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

using Clock = std::chrono::steady_clock;

/// false: not before `until`.
bool comes(int fd, short what, Clock::time_point until) {
  ::pollfd watched{fd, what, 0};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    const int ready = ::poll(&watched, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (ready >= 0 || errno != EINTR) return ready == 1;
  }
}

/// Never waits for a reader that has stopped.
bool send_all(int fd, std::string_view bytes, Clock::time_point until) {
  while (!bytes.empty()) {
    if (!comes(fd, POLLOUT, until)) return false;
    const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool receive(int fd, char& byte, Clock::time_point until) {
  return comes(fd, POLLIN, until) && read_all(fd, &byte, 1);
}

struct Child {
  int line;
  std::optional<os::Ids> ids;
};

/// Reads a size and so many bytes, answers with a type and a line end; until nobody asks any more.
void answer_all(const Magic& magic) {
  std::string head;
  for (std::uint32_t size = 0; read_all(0, reinterpret_cast<char*>(&size), sizeof size);) {
    head.resize(std::min(size, kMost));
    if (!read_all(0, head.data(), head.size())) return;
    std::string type = magic.type_of(head);
    type.resize(std::min(type.size(), kLongest));
    type += '\n';
    if (::write(0, type.data(), type.size()) != static_cast<ssize_t>(type.size())) return;
  }
}

[[noreturn]] void child_main(void* argument) noexcept {
  const Child& child = *static_cast<Child*>(argument);
  if (::dup2(child.line, 0) != 0 || !os::close_from(1)) os::end_process(1);
  Magic magic;
  const char word = magic.load() ? kReady : kNoDatabase;
  if (!os::confine_reader(child.ids, kMemory)) os::end_process(1);
  if (::write(0, &word, 1) == 1 && word == kReady) answer_all(magic);
  os::end_process(0);
}

/// What libmagic answers is hostile as well: it may be taken over.
bool is_media_type(std::string_view type) {
  const auto ordinary = [](char c) { return is_alnum(c) || std::string_view("+-._/").contains(c); };
  return std::ranges::count(type, '/') == 1 && !type.starts_with('/') && !type.ends_with('/') &&
         std::ranges::all_of(type, ordinary);
}

}  // namespace

bool MediaTypes::start() {
  if (child_ != 0) return true;
  if (failures_ >= kMostFailures || !problem_.empty()) return false;
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
  line_ = os::UniqueFd(ends[0]);
  const os::UniqueFd theirs(ends[1]);
  Child child{ends[1], ids_};
  const auto forked = os::fork_process(child_main, &child);
  if (!forked) return false;
  child_ = *forked;
  return true;
}

void MediaTypes::end() {
  line_.reset();
  if (child_ == 0) return;
  (void)os::signal_child(child_, SIGKILL);
  (void)os::wait_for(child_);
  child_ = 0;
}

std::optional<std::string> MediaTypes::ask(std::string_view head) {
  const bool fresh = child_ == 0;
  if (!start()) return std::nullopt;
  char word = kReady;
  if (fresh && !receive(line_.get(), word, Clock::now() + kPatience)) return std::nullopt;
  if (word != kReady) {
    problem_ =
        "this host has no database of libmagic that fits (Debian: package libmagic-mgc): media "
        "types of artifacts are not known";
    return std::nullopt;
  }
  const auto size = static_cast<std::uint32_t>(std::min<std::size_t>(head.size(), kMost));
  const auto until = Clock::now() + kPatience;
  if (!send_all(line_.get(), {reinterpret_cast<const char*>(&size), sizeof size}, until) ||
      !send_all(line_.get(), head.substr(0, size), until))
    return std::nullopt;
  std::string type;
  for (char c = 0; type.size() <= kLongest;) {
    if (!receive(line_.get(), c, until)) return std::nullopt;
    if (c == '\n') return type;
    type += c;
  }
  return std::nullopt;
}

std::string MediaTypes::of(std::string_view head) {
  if (!problem_.empty()) return kUnknownType;
  const auto type = ask(head);
  if (type) return is_media_type(*type) ? *type : kUnknownType;
  end();
  if (problem_.empty() && ++failures_ == kMostFailures)
    problem_ = "libmagic failed on the artifacts too often: media types of the rest are not known";
  return kUnknownType;
}

}  // namespace sbx::artifacts
