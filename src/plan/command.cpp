// What is executed: argv, environment, search path, stdio, and what the supervisor watches.
#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "plan/builder.hpp"
#include "plan/secrets.hpp"
#include "plan/shared_host.hpp"

namespace sbx::plan {
namespace {

constexpr const char* kDefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Later sources win: our own few, the terminal's, the image's, the tools', what the profile
/// passes, what it sets.
std::map<std::string, std::string> environment(const Builder& b) {
  std::map<std::string, std::string> env{{"HOME", "/tmp"},
                                         {"LANG", "C.UTF-8"},
                                         {"LOGNAME", "sandbox"},
                                         {"SHELL", "/bin/sh"},
                                         {"USER", "sandbox"}};
  if (b.shares_host) env["HOME"] = env["TMPDIR"] = scratch_path(b);
  const auto pass = [&](const std::string& name) {
    if (const auto found = b.facts.env.find(name); found != b.facts.env.end())
      env[name] = found->second;
  };
  if (b.plan.supervision.tty) pass("TERM");
  if (b.facts.image)
    for (const std::string& entry : b.facts.image->env)
      if (const std::size_t equals = entry.find('='); equals != 0 && equals != std::string::npos)
        env[entry.substr(0, equals)] = entry.substr(equals + 1);
  if (b.facts.gpu && !b.facts.gpu->libraries.empty()) {
    std::string& search = env["LD_LIBRARY_PATH"];  // an image's own come after the host's driver
    search = search.empty() ? b.facts.gpu->libraries : b.facts.gpu->libraries + ':' + search;
  }
  std::string path;
  for (const ToolInstallation& tool : b.facts.tools) {
    for (const auto& [name, value] : tool.env) env[name] = value;
    for (const std::string& folder : tool.path)
      if ((":" + path).find(":" + folder + ":") == std::string::npos) path += folder + ":";
  }
  env["PATH"] = path + (env.contains("PATH") ? env["PATH"] : kDefaultPath);
  for (const std::string& name : b.profile.env.pass) pass(name);
  for (const auto& [name, value] : b.profile.env.set) env[name] = value;
  for (const profile::Secret& secret : b.profile.secrets) env.erase(secret.env);
  return env;
}

/// What `env` says holds; a driver that is not found because of it would tell nobody why.
void tell_lost_driver(Builder& b, const std::map<std::string, std::string>& env) {
  const auto search = env.find("LD_LIBRARY_PATH");
  if (!b.facts.gpu || b.facts.gpu->libraries.empty() || search == env.end()) return;
  const std::string& folder = b.facts.gpu->libraries;
  if ((':' + search->second + ':').contains(':' + folder + ':')) return;
  b.plan.warnings.push_back("LD_LIBRARY_PATH as it is set leaves out " + folder +
                            ", where the libraries of the graphics driver are (devices: gpu); put "
                            "it in front of the others: " +
                            folder + ':' + printable(search->second));
}

void plan_supervision(Builder& b) {
  Supervision& s = b.plan.supervision;
  const profile::Limits& limits = b.profile.limits;
  s.wall = limits.wall;
  s.cpu = limits.cpu;
  s.idle = limits.idle;
  s.grace = limits.grace;
  s.output = limits.output;
  s.usage_interval = b.profile.events.usage_interval;
  s.capture = b.invocation.json;
  s.meter = b.invocation.json || b.invocation.result || b.invocation.events;
  s.summary = (b.facts.stderr_is_tty || b.invocation.ci) && !b.invocation.quiet;
  s.denials = s.meter || s.summary || b.invocation.junit;
  const profile::Stdio& stdio = b.profile.stdio;
  if (stdio.input == "null") {
    s.input = InputMode::null;
  } else if (stdio.input != "inherit") {
    s.input = InputMode::file;
    s.input_file = stdio.input;
    s.input_where = b.written_at("stdio.stdin");
  }
  switch (stdio.tty) {
    case profile::TtyMode::always:
      s.tty = true;
      break;
    case profile::TtyMode::never:
      s.tty = false;
      break;
    case profile::TtyMode::automatic:
      s.tty = b.facts.stdin_is_tty && b.facts.stdout_is_tty && b.facts.stderr_is_tty &&
              !s.capture && s.input == InputMode::inherit;
      break;
  }
}

}  // namespace

Result<void> plan_command(Builder& b) {
  b.plan.argv = b.invocation.command.empty() ? b.profile.command : b.invocation.command;
  if (b.plan.argv.empty() && b.facts.image) b.plan.argv = b.facts.image->command;
  const bool none = b.plan.argv.empty();
  if (none || b.plan.argv.front().empty())
    return std::unexpected(
        Error{.kind = ErrorKind::usage,
              .what = none ? "no command to run" : "the name of the command to run is empty",
              .hint = "write it after `--`, or as `command: [...]` in the profile"});
  plan_supervision(b);
  note_secrets(b);
  const std::map<std::string, std::string> env = environment(b);
  tell_lost_driver(b, env);
  for (const auto& [name, value] : env) {
    std::string& entry = b.plan.env.emplace_back(name);
    entry.append("=").append(value);
  }
  const auto path = env.find("PATH");
  if (path != env.end())
    for (const std::string_view folder : split(path->second, ':'))
      if (folder.starts_with('/')) b.plan.search_path.emplace_back(folder);
  return {};
}

}  // namespace sbx::plan
