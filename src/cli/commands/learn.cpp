#include "cli/commands/learn.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cli/commands/run.hpp"
#include "cli/exit_code.hpp"
#include "cli/files.hpp"
#include "cli/line.hpp"
#include "cli/locate.hpp"
#include "cli/override.hpp"
#include "cli/say.hpp"
#include "launch/prepared.hpp"
#include "learn/learned_profile.hpp"

namespace sbx::cli {
namespace {

using learn::HostPath;
using supervise::Outcome;
using supervise::Status;

/// What everybody on this host may read needs no second thought; what lies in a home, or is closed
/// to others, does.
HostPath look_at_host(const std::string& path) {
  struct ::stat what{};
  if (::stat(path.c_str(), &what) != 0) return errno == EACCES ? HostPath::own : HostPath::absent;
  const char* const home = std::getenv("HOME");
  const bool at_home = home != nullptr && *home == '/' && path.starts_with(std::string(home) + "/");
  const bool open = (what.st_mode & S_IROTH) != 0;
  return open && !at_home && !path.starts_with("/home/") && !path.starts_with("/root/")
             ? HostPath::shared
             : HostPath::own;
}

/// Where the profile goes. Without --output it is standard output, which the command then does not
/// get: what it prints goes to standard error.
struct Target {
  std::optional<ResultFile> file{};
  os::UniqueFd stream{};
};

Result<Target> open_target(const std::string& output) {
  Target target;
  if (!output.empty()) {
    target.file = SBX_TRY(ResultFile::open(output));
    return target;
  }
  target.stream.reset(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  if (!target.stream.valid() || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    return std::unexpected(Error{.kind = ErrorKind::host,
                                 .what = "cannot keep standard output for the profile",
                                 .hint = "name a file: --output FILE",
                                 .sys_errno = errno});
  return target;
}

Result<void> write_profile(const Target& target, std::string text) {
  if (target.file && target.file->stream() < 0) {
    if (text.ends_with('\n')) text.pop_back();  // it ends the last line itself
    return target.file->write(text);
  }
  const int fd = target.file ? target.file->stream() : target.stream.get();
  const auto written = write_all(fd, text);
  if (written) return {};
  return std::unexpected(Error{.kind = ErrorKind::host,
                               .what = "cannot write the profile",
                               .sys_errno = written.error().value});
}

std::string ending_of(const Outcome& outcome) {
  if (outcome.exit_code) return "exit code " + std::to_string(*outcome.exit_code);
  return std::string(supervise::to_string(outcome.status));
}

/// What the new profile extends, as seen from wherever it will lie.
std::string base_of(const Arguments& arguments, const std::string& cwd) {
  if (arguments.operands.empty()) return "default";
  const std::string& name = arguments.operands[0];
  if (!is_path(name) || name.starts_with('/')) return name;
  return std::filesystem::path(cwd + "/" + name).lexically_normal();
}

/// The flags as they mean the same in a profile that lies in another folder than the caller's:
/// there, what is mounted is looked up from the profile's.
std::vector<profile::Override> portable(std::vector<profile::Override> flags,
                                        const std::string& cwd) {
  constexpr std::string_view kBind = "{bind: \"";
  for (profile::Override& flag : flags) {
    if (flag.key != "mounts") continue;
    for (std::size_t i = 0; (i = flag.yaml.find(kBind, i)) != std::string::npos;) {
      i += kBind.size();
      if (i < flag.yaml.size() && flag.yaml[i] != '/')
        flag.yaml.insert(i, yaml_quote(cwd + "/").substr(1, yaml_quote(cwd + "/").size() - 2));
    }
  }
  return flags;
}

int conclude(const Arguments& arguments, const Target& target, const Ran& ran) {
  const auto cwd = current_directory();
  const Outcome& outcome = ran.outcome;
  if (outcome.phase == "setup" && outcome.status != Status::not_found) return outcome.process_exit;
  if (!outcome.denials) {
    say("nothing was learned: another sandbox around sbx listens to system calls already, or this "
        "kernel (Linux 5.0) cannot\n  sbx doctor tells about `seccomp notify`");
    return kFailed;
  }
  std::vector<std::string> denied;
  for (const supervise::Denial& denial : *outcome.denials)
    if (!denial.passed)
      denied.push_back(printable(supervise::denial_text(denial)) +
                       (denial.allow_with.empty() ? "; no profile can allow it"
                                                  : "; not given to learn; " + denial.allow_with));
  const auto flags = portable(arguments.overrides, cwd.value_or(""));
  const learn::Lesson lesson{.profile = ran.profile,
                             .plan = ran.plan,
                             .seen = outcome.observations,
                             .base = base_of(arguments, cwd.value_or("")),
                             .overrides = flags,
                             .succeeded = outcome.status == Status::ok,
                             .denied = std::move(denied),
                             .ended = ending_of(outcome)};
  const learn::Learned learned =
      learn::learned_profile(lesson, launch::always_needed(), look_at_host);
  if (const auto written = write_profile(target, learned.text); !written) {
    say(written.error().to_string());
    return kFailed;
  }
  if (!arguments.output.empty())
    say("learned " + std::to_string(learned.entries) +
        (learned.entries == 1 ? " entry" : " entries") + ": " + quote(arguments.output) +
        "; run it again: sbx run " + quote(arguments.output) + " -- " +
        quote_command(ran.plan.argv));
  return outcome.process_exit;
}

}  // namespace

int learn_command(const Arguments& arguments, supervise::Nanos started) {
  auto target = open_target(arguments.output);
  if (!target) {
    say(target.error().to_string());
    return kFailed;
  }
  const auto learning = arguments.tight ? plan::Learning::tight : plan::Learning::needs;
  return run_command(
      arguments, started,
      [learning](plan::Plan& plan) {
        plan.supervision.learning = learning;
        plan.supervision.denials = true;
        plan.supervision.summary = false;
      },
      [&](const Ran& ran) { return conclude(arguments, *target, ran); });
}

}  // namespace sbx::cli
