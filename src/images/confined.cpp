#include "images/confined.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <new>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "images/unpack_filter.hpp"
#include "os/capabilities.hpp"
#include "os/landlock.hpp"
#include "os/process.hpp"
#include "os/seccomp_notify.hpp"
#include "os/whole_file.hpp"

namespace sbx::images {
namespace {

// What goes over the channel: "N" and the name, answered by "y" or "n"; "E", what, hint and number
// of an error; "K" when all is well.
constexpr std::size_t kMaxMessage = 8192;
constexpr std::size_t kMaxWords = 600;  ///< of a text in it; an escaped byte is four
constexpr char kEnd = '\n';
constexpr std::uint64_t kSeconds =
    600;  ///< of processor time: much for 8 GiB, little for an attack
constexpr std::uint64_t kMemory = std::uint64_t{1} << 30U;  ///< zstd's largest windows and more

Error cannot_start(int error) {
  return {.kind = ErrorKind::host,
          .what = "cannot start the process that unpacks images",
          .sys_errno = error};
}

/// Up to kEnd, which is taken away; "" when nothing comes any more.
std::string receive(int channel) {
  std::string text;
  for (char byte = 0; text.size() < kMaxMessage;) {
    const ssize_t n = ::read(channel, &byte, 1);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return "";
    if (byte == kEnd) return text;
    text += byte;
  }
  return "";
}

struct Child {
  pid_t parent = 0;
  const UnpackRequest* request = nullptr;
  int channel = -1;
  const os::CapabilitySet* none = nullptr;
};

SysResult<void> limit_files(const UnpackRequest& request) {
  const int abi = os::landlock_abi();
  if (abi == 0) return {};
  const auto rules = SBX_TRY(os::landlock_ruleset(abi, {.tcp = true, .scope = true}));
  SBX_CHECK(os::landlock_allow(rules.get(), abi, request.staging, os::LandlockAccess::write));
  struct ::stat what{};
  if (::fstat(request.source, &what) != 0) return fail();
  if (S_ISDIR(what.st_mode))
    SBX_CHECK(os::landlock_allow(rules.get(), abi, request.source, os::LandlockAccess::read));
  return os::landlock_restrict(rules.get());
}

/// What can be set up only while we may still do so.
SysResult<void> confine(const Child& child) {
  SBX_CHECK(os::die_with_parent(child.parent));
  const os::UniqueFd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  // A file of the caller's is none of this process's business.
  for (int fd = 0; fd < 3; ++fd)
    if (!nothing.valid() || ::dup2(nothing.get(), fd) < 0) return fail();
  ::umask(022);
  (void)::signal(SIGXFSZ, SIG_IGN);  // EFBIG says it better
  SBX_CHECK(os::set_rlimit(RLIMIT_CORE, 0));
  SBX_CHECK(os::set_rlimit(RLIMIT_AS, kMemory));
  SBX_CHECK(os::set_rlimit(RLIMIT_CPU, kSeconds));
  SBX_CHECK(os::set_rlimit(RLIMIT_FSIZE, child.request->max_bytes));
  SBX_CHECK(os::set_dumpable(false));
  SBX_CHECK(os::set_no_new_privs());
  SBX_CHECK(limit_files(*child.request));
  SBX_CHECK(child.none->apply_own());
  return os::install_filter(unpack_filter());
}

/// Printable text has neither a tab nor a line's end. Cut here: names in it may be as long as their
/// documents, and the channel takes kMaxMessage.
std::string error_text(const Error& error) {
  return "E" + printable(error.what, kMaxWords) + '\t' + printable(error.hint, kMaxWords) + '\t' +
         std::to_string(error.sys_errno);
}

[[noreturn]] void run_child(void* argument) noexcept {
  const Child& child = *static_cast<const Child*>(argument);
  std::string last = "K";
  if (const auto done = confine(child); !done) {
    last = error_text(cannot_start(done.error().value));
  } else {
    try {
      const auto wanted = [&child](const std::string& name) {
        return os::write_all(child.channel, "N" + name + kEnd).has_value() &&
               receive(child.channel) == "y";
      };
      if (const auto unpacked = unpack(*child.request, wanted); !unpacked)
        last = error_text(unpacked.error());
    } catch (const std::bad_alloc&) {
      last = error_text(
          {.kind = ErrorKind::host, .what = "the image takes more memory to unpack than it may"});
    }
  }
  (void)os::write_all(child.channel, last + kEnd);
  os::end_process(0);
}

/// The child's words, shown as what they are: text of a process that read hostile bytes.
Error error_of(std::string_view message) {
  const auto parts = split(message.substr(1), '\t');
  Error error{.kind = ErrorKind::host, .what = printable(parts[0], kMaxWords)};
  if (parts.size() == 3) {
    error.hint = printable(parts[1], kMaxWords);
    for (const char digit : parts[2].substr(0, 4))
      if (digit >= '0' && digit <= '9') error.sys_errno = 10 * error.sys_errno + (digit - '0');
  }
  return error;
}

Error died(int status) {
  const int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return {.kind = ErrorKind::host,
          .what = "the process that unpacks the image has died" +
                  (number == 0 ? std::string() : " of signal " + std::to_string(number)),
          .hint = number == SIGSYS
                      ? "it made a system call that it has no need for: the image may be an attack"
                  : number == SIGXCPU || number == SIGKILL
                      ? "it took more than " + std::to_string(kSeconds) +
                            " s of processor time, or somebody killed it"
                      : "the image is damaged, or an attack"};
}

}  // namespace

Result<void> unpack_confined(const UnpackRequest& request,
                             const std::function<bool(const std::string&)>& wanted) {
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0)
    return std::unexpected(cannot_start(errno));
  const os::UniqueFd ours(pair[0]);
  os::UniqueFd theirs(pair[1]);
  const auto none = os::CapabilitySet::prepare({});
  if (!none) return std::unexpected(cannot_start(none.error().value));
  Child child{::getpid(), &request, theirs.get(), &*none};
  const auto pid = os::fork_process(&run_child, &child);
  if (!pid) return std::unexpected(cannot_start(pid.error().value));
  theirs.reset();
  std::string message = receive(ours.get());
  if (message.starts_with('N')) {
    const bool yes = wanted(message.substr(1));
    (void)os::write_all(ours.get(), std::string(1, yes ? 'y' : 'n') + kEnd);
    message = receive(ours.get());
  }
  const auto ended = os::wait_for(*pid);
  if (message.starts_with('E')) return std::unexpected(error_of(message));
  if (message != "K") return std::unexpected(died(ended ? ended->wait_status : 0));
  return {};
}

}  // namespace sbx::images
