// `sbx mcp`: what the operator has fixed is read once, and handed to the server with the way to run
// a command under it.
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/lexical_path.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "cli/app.hpp"
#include "cli/commands/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/files.hpp"
#include "cli/guard_process.hpp"
#include "cli/locate.hpp"
#include "cli/override.hpp"
#include "cli/prepare.hpp"
#include "cli/say.hpp"
#include "mcp/server.hpp"
#include "os/own_memory.hpp"
#include "os/probe.hpp"
#include "os/secret_source.hpp"
#include "os/signals.hpp"
#include "redact/matcher.hpp"

namespace sbx::cli {
namespace {

using profile::Problems;
using profile::Profile;

using Environment = std::map<std::string, std::string>;

/// A session works on a copy of the folder unless somebody has written how it is to be shown.
constexpr auto kMode = profile::WorkspaceMode::overlay;

/// What runs need to find programs and their own files. None of it gets into a sandbox.
bool is_needed(const std::string& name) {
  return name == "HOME" || name == "PATH" || name.starts_with("XDG_");
}

/// The operator's environment without what nobody has named. `profile`: whose secrets may come from
/// variables.
Environment reduced(const Environment& all, const Profile* profile) {
  constexpr std::string_view kVariable = "env:";
  Environment out;
  for (const auto& [name, value] : all)
    if (is_needed(name)) out.emplace(name, value);
  if (profile == nullptr) return out;
  for (const profile::Secret& secret : profile->secrets) {
    if (!secret.from.starts_with(kVariable)) continue;
    const auto found = all.find(secret.from.substr(kVariable.size()));
    if (found != all.end()) out.insert(*found);
  }
  return out;
}

/// The profile's files as they were when the server began: whatever a command, or somebody else,
/// makes of them later is not read.
class FrozenProfile {
 public:
  FrozenProfile(std::string name, std::string cwd, Environment env)
      : name_(std::move(name)), cwd_(std::move(cwd)), env_(std::move(env)) {}

  std::expected<Profile, Problems> load(const std::vector<profile::Override>& overrides) {
    const profile::LoadRequest request{name_, overrides, env_, cwd_, kMode};
    const Lookup lookup = make_lookup(cwd_, env_);
    return profile::load(request,
                         [&](const std::string& wanted,
                             const profile::SourceText* user) -> Result<profile::SourceText> {
                           const std::pair key(wanted, user != nullptr ? user->name : "");
                           const auto known = texts_.find(key);
                           if (known != texts_.end()) return known->second;
                           auto text = SBX_TRY(locate(lookup, wanted, user));
                           return texts_.emplace(key, std::move(text)).first->second;
                         });
  }

 private:
  std::string name_;
  std::string cwd_;
  Environment env_;
  std::map<std::pair<std::string, std::string>, profile::SourceText> texts_{};
};

/// Makes the command lines of runs.
class RunLine {
 public:
  RunLine(const Arguments& arguments, std::string cwd, std::shared_ptr<FrozenProfile> frozen)
      : cwd_(std::move(cwd)), frozen_(std::move(frozen)), words_(arguments.operands) {
    words_.insert(words_.end(), arguments.policy.begin(), arguments.policy.end());
    if (!arguments.log.empty()) words_.push_back("--log=" + arguments.log);
    if (!arguments.log_level.empty()) words_.push_back("--log-level=" + arguments.log_level);
    set("env.pass", "!replace []");  // none of it gets inside
  }
  /// The folder of the session's own workspace takes the place of the operator's.
  void use_workspace(const std::string& path) {
    set("workspace.source", yaml_quote(path));
    set("workspace.mode", "overlay");
    set("workspace.keep", "diff");
  }

  [[nodiscard]] Result<std::vector<std::string>> with(const std::vector<std::string>& flags) const {
    std::vector<std::string> words = words_;
    words.insert(words.end(), flags.begin(), flags.end());
    const std::string sum = SBX_TRY(sum_of(words));
    words.insert(words.begin(), "run");
    words.emplace_back("--json");
    words.push_back("--pin=" + sum);
    return words;
  }

 private:
  void set(const std::string& key, const std::string& value) {
    words_.push_back("--set=" + key + "=" + value);
  }
  /// What the run will find its profile to be, if it is still what we have read.
  [[nodiscard]] Result<std::string> sum_of(std::vector<std::string> words) const {
    words.insert(words.end(), {"--", "CMD"});
    const auto parsed = parse(*find_verb("run"), std::move(words), cwd_);
    if (!parsed) return std::unexpected(parsed.error().front());
    const auto profile = frozen_->load(parsed->overrides);
    if (!profile) return std::unexpected(profile.error().front());
    return profile->sha256;
  }

  std::string cwd_;
  std::shared_ptr<FrozenProfile> frozen_;
  std::vector<std::string> words_;
};

/// What to mask in all that a client gets: a command may have written its secrets to a file.
Result<supervise::Redactor> redactor_of(const Profile& profile) {
  std::vector<redact::Needle> needles;
  if (!profile.secrets.empty())
    if (const auto closed = os::close_memory(); !closed)
      return std::unexpected(Error{.kind = ErrorKind::host,
                                   .what = "cannot close our memory to others",
                                   .sys_errno = closed.error().value});
  for (const profile::Secret& secret : profile.secrets) {
    if (!secret.redact) continue;
    auto value = os::read_secret({secret.from, secret.base, {}});
    if (!value) {
      value.error().what = "the secret `" + secret.name + "`: " + value.error().what;
      return std::unexpected(std::move(value).error());
    }
    needles.push_back({secret.name, std::string(value->value())});
  }
  if (needles.empty() && profile.redact_patterns.empty()) return supervise::Redactor{};
  auto made = redact::build_matcher(needles, profile.redact_patterns);
  for (redact::Needle& needle : needles) ::explicit_bzero(needle.value.data(), needle.value.size());
  return made;
}

/// The current folder is left out where `sbx run` leaves it out, because it is more than a project.
Result<void> choose_workspace(Profile& profile, const std::string& cwd, const Environment& env) {
  profile::Workspace& workspace = profile.workspace;
  if (workspace.mode == profile::WorkspaceMode::none) return {};
  if (cwd == kRemovedDirectory && !workspace.source.starts_with('/'))
    return std::unexpected(Error{.kind = ErrorKind::profile,
                                 .what = "cannot open the workspace " + quote(workspace.source) +
                                         ": the current directory has been removed",
                                 .hint = "change to a folder that you may read, or say "
                                         "--workspace DIR, or --workspace none"});
  if (workspace.named) return {};
  const HostFacts facts = SBX_TRY(os::probe({.env = env,
                                             .root = os::RootRequest::empty,
                                             .sources = {{workspace.source, cwd}},
                                             .homes = true}));
  const SourceFacts& found = facts.sources.at(source_key(facts, workspace.source, cwd));
  const std::string folder = found.exists ? found.path : lexical_path(cwd, workspace.source);
  if (!is_home_or_above(facts, folder)) return {};
  workspace.mode = profile::WorkspaceMode::none;
  say("warning: the current directory " + quote(folder) +
      " is not shown: it holds more than a project; name a folder with --workspace DIR");
  return {};
}

/// What somebody has asked for that no session can do. A profile that passes variables is as good
/// here as for `sbx run`; who names one in a flag wants it inside.
Problems refused(const Profile& profile) {
  Problems problems;
  for (std::size_t i = 0; i < profile.env.pass.size(); ++i) {
    const auto written = profile.origins.find("env.pass[" + std::to_string(i) + "]");
    if (written == profile.origins.end() || !written->second.file.starts_with("--")) continue;
    const std::string& name = profile.env.pass[i];
    problems.push_back(
        {ErrorKind::usage, "the variable " + quote(name) + " of yours does not enter a session",
         written->second.to_string(), "give it a value: --env " + printable(name, 80) + "=VALUE"});
  }
  for (const profile::Secret& secret : profile.secrets)
    if (secret.from.starts_with("fd:"))
      problems.push_back({ErrorKind::usage,
                          "the secret " + quote(secret.name) +
                              " comes from a descriptor, which can be read once, and a session "
                              "starts many runs",
                          "", "file: or env: can be read by each of them"});
  return problems;
}

/// A folder of the session's own is an overlay, by nobody's wish: the runs would name a key of it.
Result<void> check_own_workspace(const Profile& profile, const Environment& env) {
  const bool may_lack = std::ranges::find(profile.degrade, "userns") != profile.degrade.end();
  if (!may_lack || profile.workspace.mode == profile::WorkspaceMode::ro ||
      profile.workspace.mode == profile::WorkspaceMode::rw)
    return {};
  const HostFacts facts =
      SBX_TRY(os::probe({.env = env, .root = os::RootRequest::empty, .try_namespaces = true}));
  if (!facts.no_namespaces) return {};
  return std::unexpected(
      Error{.kind = ErrorKind::host,
            .what = "a session works on a copy of the workspace, which is shown by an overlay, and "
                    "on this host tier landlock (degrade: userns) has none",
            .hint = "show a folder as it is: --workspace DIR:ro, or DIR:rw; or start sbx where "
                    "`sbx doctor` finds namespaces"});
}

Result<int> serve(Profile profile, RunLine line, const std::string& cwd, const Environment& env) {
  SBX_CHECK(choose_workspace(profile, cwd, env));
  SBX_CHECK(check_own_workspace(profile, env));
  const profile::Workspace& folder = profile.workspace;
  if (folder.git == profile::GitMode::protect && folder.mode != profile::WorkspaceMode::rw)
    return std::unexpected(
        Error{.kind = ErrorKind::profile,
              .what = "`workspace.git: protect` does not go with a workspace of the session's own",
              .hint = "leave it out, as nothing reaches the folder before it is applied; or let "
                      "commands change it: --workspace DIR:rw"});
  // Before the gate: what makes secrets ends with us, by the signals that end us.
  auto redactor = SBX_TRY(redactor_of(profile));
  os::SignalGate gate;
  if (const auto opened = gate.open(); !opened)
    return std::unexpected(Error{.kind = ErrorKind::setup,
                                 .what = "cannot watch for signals",
                                 .sys_errno = opened.error().value});
  const std::string id = SBX_TRY(make_run_id());
  auto workspace = SBX_TRY(mcp::Workspace::open(profile, cwd, env, id));
  if (workspace.is_own()) line.use_workspace(workspace.own_path());
  std::vector<std::string> variables;
  for (const auto& [name, value] : env)
    variables.push_back(std::string(name).append("=").append(value));
  mcp::Server server(
      {.gate = gate,
       .profile = std::move(profile),
       .workspace = std::move(workspace),
       .redactor = std::move(redactor),
       .version = SBX_VERSION,
       .env = std::move(variables),
       .words = [line = std::move(line)](
                    const std::vector<std::string>& flags) { return line.with(flags); },
       .new_id = make_run_id});
  if (::isatty(STDIN_FILENO) == 1)  // a person, to whom it would seem to hang
    say("mcp is for an agent's program to start and to speak to; Ctrl-D ends it");
  if (!SBX_TRY(server.prepare())) return kSuccess;
  log::write(log::Level::info, "mcp session " + id + " has begun");
  const auto served = server.serve();
  const std::string kept = SBX_TRY(server.keep_rest());
  log::write(log::Level::info, "mcp session " + id + " has ended");
  if (!kept.empty()) say("the session's changes are kept: sbx diff " + kept);
  SBX_CHECK(served);
  return kSuccess;
}

}  // namespace

int mcp_command(const Arguments& arguments) {
  if (const auto guarded = guard_process(); !guarded) return fail_with(guarded.error());
  if (const auto opened = open_log(arguments); !opened) return fail_with(opened.error());
  const auto cwd = current_directory();
  if (!cwd) return fail_with(cwd.error());
  const Environment all = os::caller_environment();
  const auto frozen = std::make_shared<FrozenProfile>(
      arguments.operands.empty() ? "default" : arguments.operands[0], *cwd, reduced(all, nullptr));
  auto profile = frozen->load(arguments.overrides);
  const Problems problems = profile ? refused(*profile) : profile.error();
  if (!problems.empty()) {
    say(problems);
    return kFailed;
  }
  const Environment env = reduced(all, &*profile);
  const auto code = serve(*std::move(profile), RunLine(arguments, *cwd, frozen), *cwd, env);
  return code ? *code : fail_with(code.error());
}

}  // namespace sbx::cli
