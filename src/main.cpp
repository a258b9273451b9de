// The program's entry and its last resort: whatever escapes ends with 125, never with a payload
// running unwatched.
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string_view>

#include "cli/exit_code.hpp"
#include "cli/front.hpp"
#include "os/pipe.hpp"

namespace {

/// What we make for ourselves, folders and files of state above all, must open for us again,
/// whatever the caller's umask. It stays so for the command.
void keep_own_rights() {
  constexpr mode_t kOthers = S_IRWXG | S_IRWXO;
  const mode_t mask = ::umask(kOthers);
  ::umask(mask & kOthers);
}

/// The kernel names a process by the file that it executes; of one that `sbx mcp` starts that is a
/// link, /proc/self/exe.
void keep_own_name() {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives every such value as a number
  const auto* const file = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  if (file != nullptr && std::string_view(file).ends_with("/self/exe"))
    ::prctl(PR_SET_NAME, "sbx", 0, 0, 0);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    // First of all: a file opened as 0, 1 or 2 would become the payload's standard stream.
    if (!sbx::os::fill_standard_fds()) {
      (void)std::fputs("sbx: cannot open /dev/null in place of a closed standard stream\n", stderr);
      return sbx::cli::kFailed;
    }
    // A caller may have ignored it (nohup, some job runners): then nobody could be waited for.
    (void)std::signal(SIGCHLD, SIG_DFL);
    keep_own_rights();
    keep_own_name();
    return sbx::cli::front(argc, argv);
  } catch (const std::exception& failure) {
    (void)std::fprintf(stderr, "sbx: internal error: %s\n", failure.what());
  } catch (...) {
    (void)std::fputs("sbx: internal error\n", stderr);
  }
  return sbx::cli::kFailed;
}
