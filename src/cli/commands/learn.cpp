#include "cli/commands/learn.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
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
#include "cli/say.hpp"
#include "launch/prepared.hpp"
#include "learn/learned_profile.hpp"
#include "os/host_path.hpp"
#include "os/probe.hpp"
#include "profile/load.hpp"
#include "supervise/redaction.hpp"

namespace sbx::cli {
namespace {

using learn::HostPath;
using supervise::Outcome;
using supervise::Status;

constexpr std::size_t kLongestLine = 2000;

bool is_same_or_in(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder + "/");
}

/// What everybody on this host may read needs no second thought; what lies in a home, or holds one,
/// or is closed to others, does.
HostPath look_at_host(const std::string& path) {
  const char* const variable = std::getenv("HOME");
  std::string home = variable == nullptr ? "" : std::filesystem::path(variable).lexically_normal();
  while (home.size() > 1 && home.ends_with('/')) home.pop_back();
  const bool at_home =
      (home.size() > 1 && (is_same_or_in(path, home) || is_same_or_in(home, path))) ||
      is_same_or_in(path, "/home") || is_same_or_in(path, "/root");
  switch (os::look_at_path(path)) {
    case os::PathStanding::absent:
      return HostPath::absent;
    case os::PathStanding::shared:
      return at_home ? HostPath::own : HostPath::shared;
    case os::PathStanding::private_:
      break;
  }
  return HostPath::own;
}

/// Where the profile goes. Without --output, or with -, it is standard output, which the command
/// then does not get: what it prints goes to standard error.
struct Target {
  std::optional<ResultFile> file{};
  os::UniqueFd stream{};
};

Result<Target> open_target(const std::string& output) {
  Target target;
  if (!output.empty() && output != "-") {
    Patience patience;
    target.file = SBX_TRY(ResultFile::open(output, "--output", patience));
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
  // Not normalised: of link/../b.yaml the file system decides where that is.
  const std::unique_ptr<char, decltype(&std::free)> found(
      ::realpath((cwd + "/" + name).c_str(), nullptr), &std::free);
  return found ? found.get() : cwd + "/" + name;
}

/// Do both names lead to one file? OUT may not replace what the new profile is made to extend.
bool is_same_file(const std::string& one, const std::string& other) {
  struct ::stat a{};
  struct ::stat b{};
  return ::stat(one.c_str(), &a) == 0 && ::stat(other.c_str(), &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

/// The files that the profile is read from, with all that it extends; empty: it has mistakes, which
/// a run will tell.
std::vector<std::string> files_of(const Arguments& arguments, const std::string& cwd) {
  const profile::LoadRequest request{
      .name = arguments.operands.empty() ? "default" : arguments.operands[0],
      .overrides = arguments.overrides,
      .env = os::caller_environment(),
      .cwd = cwd};
  const Lookup lookup = make_lookup(request.cwd, request.env);
  std::vector<std::string> files;
  static_cast<void>(profile::load(request, [&](const std::string& name, const auto* user) {
    auto found = locate(lookup, name, user);
    if (found) files.push_back(found->name);
    return found;
  }));
  return files;
}

Result<void> check_places(const Arguments& arguments) {
  const std::string base = arguments.operands.empty() ? "" : arguments.operands[0];
  struct ::stat what{};
  if (is_path(base) && ::stat(base.c_str(), &what) == 0 && !S_ISREG(what.st_mode))
    return std::unexpected(Error{.kind = ErrorKind::usage,
                                 .what = "a profile that is no file cannot be extended",
                                 .hint = "learn under a file, or under a profile's name"});
  const std::string cwd = current_directory().value_or("/");
  const std::string name = base_of(arguments, cwd);
  if (!is_utf8(name) || name.find("${") != std::string::npos)
    return std::unexpected(Error{.kind = ErrorKind::usage,
                                 .what = "the profile " + quote(name) +
                                         " cannot be extended: `extends` takes UTF-8 "
                                         "without ${",
                                 .hint = "give it another name"});
  for (const std::string& file : files_of(arguments, cwd)) {
    if (!arguments.output.empty() && is_same_file(file, arguments.output))
      return std::unexpected(Error{
          .kind = ErrorKind::usage,
          .what = "--output " + quote(arguments.output) + " is what the new profile would extend",
          .hint = "name another file"});
  }
  return {};
}

void tell_learned(const Arguments& arguments, const ResultFile& file, const Ran& ran,
                  std::size_t entries) {
  std::string text = "learned " + std::to_string(entries) + (entries == 1 ? " entry" : " entries") +
                     ": " + quote(arguments.output);
  if (file.stream() < 0) {
    // Without a slash it could be a profile's name.
    const std::string path = (is_path(arguments.output) ? "" : "./") + arguments.output;
    std::vector<std::string> words{"sbx", "run", path};
    words.insert(words.end(), arguments.policy.begin(), arguments.policy.end());
    words.emplace_back("--");
    words.insert(words.end(), ran.plan.argv.begin(), ran.plan.argv.end());
    const std::string line = quote_command(supervise::redacted(ran.outcome.redactor, words));
    // Cut, it would be another command.
    text += line.size() <= kLongestLine ? "; run it again: " + line
                                        : "; run it again with " + quote(path) + " as the profile";
  }
  say(text);
}

int conclude(const Arguments& arguments, const Target& target, const Ran& ran) {
  const auto cwd = current_directory();
  const Outcome& outcome = ran.outcome;
  if (outcome.phase == "setup" && !outcome.denials) return outcome.process_exit;
  if (!outcome.denials) {
    say("nothing was learned: another sandbox around sbx listens to system calls already, or this "
        "kernel (Linux 5.0) cannot\n  sbx doctor tells about `seccomp notify`");
    return kFailed;
  }
  std::vector<std::string> denied;
  std::set<std::string>
      told;  // a program's name is its own word, and no reason to hide another call
  for (const supervise::Denial& denial : *outcome.denials)
    if (!denial.passed && told.insert(denial.operation + "(" + denial.target).second)
      denied.push_back(printable(supervise::denial_text(denial)) +
                       (denial.allow_with.empty() ? "; no line of a profile allows it"
                                                  : "; a profile can: " + denial.allow_with));
  const learn::Lesson lesson{.profile = ran.profile,
                             .plan = ran.plan,
                             .seen = outcome.observations,
                             .command = supervise::redacted(outcome.redactor, ran.plan.argv),
                             .base = base_of(arguments, cwd.value_or("")),
                             .succeeded = outcome.status == Status::ok,
                             .denied = std::move(denied),
                             .ended = ending_of(outcome)};
  const learn::Learned learned =
      learn::learned_profile(lesson, launch::always_needed(), look_at_host);
  const std::string text = supervise::redacted(outcome.redactor, learned.text);
  if (const auto written = write_profile(target, text); !written) return fail_with(written.error());
  if (target.file) tell_learned(arguments, *target.file, ran, learned.entries);
  return outcome.process_exit;
}

}  // namespace

int learn_command(const Arguments& arguments, supervise::Nanos started) {
  if (const auto places = check_places(arguments); !places) return fail_with(places.error());
  auto target = open_target(arguments.output);
  if (!target) return fail_with(target.error());
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
