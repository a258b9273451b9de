#include "cli/prepare.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"
#include "base/utc.hpp"
#include "cli/files.hpp"
#include "cli/locate.hpp"
#include "os/probe.hpp"
#include "os/tools_path.hpp"
#include "plan/build.hpp"
#include "profile/own_devices.hpp"

namespace sbx::cli {
namespace {

using profile::Problems;
using profile::Profile;
using supervise::Stage;

std::unexpected<Problems> only(Error error) {
  Problems problems;
  problems.push_back(std::move(error));
  return std::unexpected(std::move(problems));
}

/// A profile's files may have changed since somebody has looked at them.
Result<void> check_pin(const Arguments& arguments, const Profile& profile) {
  if (arguments.pin.empty() || arguments.pin == profile.sha256) return {};
  return std::unexpected(Error{.kind = ErrorKind::profile,
                               .what = "the profile " + quote(profile.name) + " has the sum " +
                                       profile.sha256 + ", and not the one asked for",
                               .where = "--pin",
                               .hint = "its files, or the flags, are not what they were"});
}

/// The controllers that the limits need, by both their names.
std::vector<std::string> controllers_for(const profile::Limits& limits) {
  std::vector<std::string> names;
  const auto need = [&names](bool wanted, std::initializer_list<const char*> controllers) {
    if (wanted) names.insert(names.end(), controllers.begin(), controllers.end());
  };
  need(limits.memory || limits.memory_high || limits.swap, {"memory"});
  need(limits.pids.has_value(), {"pids"});
  need(limits.cpus || limits.cpu_weight, {"cpu"});
  need(limits.cpu.has_value(), {"cpuacct"});
  need(limits.cpuset.has_value(), {"cpuset"});
  need(limits.io.any(), {"io", "blkio"});
  need(limits.memory.has_value(), {"hugetlb"});
  return names;
}

/// What of this host the plan for `profile` depends on.
os::ProbeRequest what_to_probe(const Profile& profile, const std::string& cwd, Verb verb) {
  os::ProbeRequest request;
  switch (profile.root.kind) {
    case profile::RootKind::host:
      request.root = os::RootRequest::host;
      break;
    case profile::RootKind::dir:
      request.root = os::RootRequest::dir;
      break;
    case profile::RootKind::oci:  // a folder once it is unpacked; until then nothing is known
    case profile::RootKind::empty:
      request.root = os::RootRequest::empty;
      break;
  }
  request.root_dir = profile.root.path;
  if (profile.workspace.mode != profile::WorkspaceMode::none)
    request.sources.push_back({profile.workspace.source, cwd});
  request.homes =
      profile.workspace.mode != profile::WorkspaceMode::none && !profile.workspace.named;
  request.git = profile.workspace.git == profile::GitMode::protect &&
                (profile.workspace.mode == profile::WorkspaceMode::rw ||
                 profile.workspace.mode == profile::WorkspaceMode::overlay);
  request.writable = request.git || profile.workspace.mode == profile::WorkspaceMode::rw;
  for (const profile::Mount& mount : profile.mounts) {
    if (const auto* bind = std::get_if<profile::BindMount>(&mount.what)) {
      request.sources.push_back({bind->source, bind->base});
      request.writable = request.writable || bind->writable;
    }
    if (const auto* copy = std::get_if<profile::CopyMount>(&mount.what))
      request.sources.push_back({copy->source, copy->base});
  }
  request.tools = profile.tools;
  request.gpu = std::ranges::find(profile.devices, profile::kGpu) != profile.devices.end();
  request.controllers = controllers_for(profile.limits);
  for (const auto& [name, value] : profile.limits.rlimits) request.rlimits.push_back(name);
  // What is learnt without a file tree of its own would be of no use with one.
  request.try_namespaces =
      verb != Verb::learn && std::ranges::find(profile.degrade, "userns") != profile.degrade.end();
  request.try_idmap = std::ranges::find(profile.degrade, "idmap") != profile.degrade.end();
  request.disks = profile.limits.io.any();
  request.host_network = profile.network.mode == profile::NetworkMode::host;
  return request;
}

plan::Invocation invocation_of(const Arguments& arguments, const Profile& profile,
                               const std::string& run_id) {
  plan::Invocation invocation;
  invocation.run_id = run_id;
  invocation.command = arguments.command;
  // A profile can be explained by itself.
  if (arguments.verb->verb == Verb::explain && arguments.command.empty() && profile.command.empty())
    invocation.command = {"CMD"};
  // `explain --json` is about the plan's form; only `run --json` captures.
  invocation.json = arguments.reporting.json && arguments.verb->verb == Verb::run;
  invocation.result = !arguments.reporting.result.empty();
  invocation.events = !arguments.reporting.events.empty();
  invocation.junit = !arguments.reporting.junit.empty();
  invocation.ci = arguments.reporting.ci;
  invocation.quiet = arguments.quiet;
  return invocation;
}

/// `error`, at the line or flag that wrote `root`.
Error about_root(const Profile& profile, Error error) {
  if (const auto written = profile.origins.find("root"); written != profile.origins.end())
    error.where = written->second.to_string();
  return error;
}

/// The image that is the root, unpacked; for who only asks, as far as it is already.
Result<std::optional<images::Held>> image_of(const Profile& profile, bool only_asks) {
  if (profile.root.kind != profile::RootKind::oci) return std::nullopt;
  const images::Request request{profile.root.path, profile.root.ref, profile.root.max};
  auto held = only_asks ? images::find_unpacked(request) : images::unpacked(request);
  if (held) return held;
  return std::unexpected(about_root(profile, std::move(held).error()));
}

void add_image(const std::optional<images::Held>& image, os::ProbeRequest& request) {
  if (!image) return;
  request.root = os::RootRequest::dir;
  request.root_dir = image->root;
}

std::optional<ImageFacts> image_facts(const Profile& profile,
                                      const std::optional<images::Held>& image) {
  if (profile.root.kind != profile::RootKind::oci) return std::nullopt;
  return image ? image->image.facts : ImageFacts{};
}

/// What is new to whoever runs an image for the first time.
void tell_of_image(const std::optional<images::Held>& image, plan::Plan& plan) {
  if (!image || !image->fresh || image->image.left_out == 0) return;
  plan.warnings.push_back(std::to_string(image->image.left_out) +
                          " device nodes, FIFOs or sockets of the image were left out");
}

/// Whether the word for the profile may be the command's. A problem that is in no file is about a
/// name; of a path, a program that is called as no profile would be.
bool is_about_command(const std::string& word, const Error& problem) {
  if (!is_path(word)) return problem.where.empty();
  return !word.ends_with(".yaml") && !word.ends_with(".yml") && os::is_program(word);
}

/// A word alone is taken for a profile; who has forgotten the dashes means the command, and who
/// comes from elsewhere the place of what a flag shows.
Problems hint_at_command(const Arguments& arguments, Problems problems) {
  const std::vector<std::string>& words = arguments.operands;
  if (!arguments.parted.empty()) problems.front().hint = arguments.parted;
  const bool alone = arguments.command.empty() && words.size() == 1;
  if (!alone || !is_about_command(words[0], problems.front())) return problems;
  std::string& hint = problems.front().hint;
  hint = "a command stands after `--`: sbx " + std::string(arguments.verb->name) + " -- " +
         quote(words[0]) + (hint.empty() ? "" : "; " + hint);
  return problems;
}

/// Whether an argument contains a secret is not known yet.
std::string command_for_log(const plan::Plan& plan) {
  if (!plan.supervision.redacts) return quote_command(plan.argv);
  return "of " + std::to_string(plan.argv.size()) + " words";
}

}  // namespace

Result<void> open_log(const Arguments& arguments) {
  if (arguments.log.empty()) return {};
  const Reporting& others = arguments.reporting;
  for (const auto& [flag, target] :
       {std::pair{"--result", &others.result}, std::pair{"--events", &others.events},
        std::pair{"--junit", &others.junit}})
    if (same_file(arguments.log, *target))
      return std::unexpected(Error{
          .kind = ErrorKind::usage,
          .what = std::string("--log and ") + flag + " name the same file " + quote(*target)});
  const std::string name = arguments.log_level.empty() ? "info" : arguments.log_level;
  const auto level = log::parse_level(name);
  if (!level)
    return std::unexpected(Error{ErrorKind::usage, "unknown level " + quote(name), "--log-level",
                                 "levels: debug, info, warn, error"});
  return log::open(arguments.log, *level);
}

std::expected<Profile, Problems> load_profile(const profile::LoadRequest& request) {
  const Lookup lookup = make_lookup(request.cwd, request.env);
  return profile::load(request, [&lookup](const std::string& wanted, const auto* user) {
    return locate(lookup, wanted, user);
  });
}

std::expected<Grounds, Problems> survey(Profile profile, Caller caller, Verb verb, bool only_asks) {
  os::ProbeRequest wanted = what_to_probe(profile, caller.cwd, verb);
  wanted.env = std::move(caller.env);
  auto image = image_of(profile, only_asks);
  if (!image) return only(std::move(image).error());
  add_image(*image, wanted);
  auto facts = os::probe(std::move(wanted));
  if (!facts) {
    // All else that it may fail for is the host's.
    const bool of_root = facts.error().kind == ErrorKind::profile;
    return only(of_root ? about_root(profile, facts.error()) : facts.error());
  }
  facts->image = image_facts(profile, *image);
  return Grounds{std::move(profile), *std::move(facts), *std::move(image)};
}

void look_again(Grounds& grounds) {
  os::look_again(what_to_probe(grounds.profile, grounds.facts.cwd, Verb::run), grounds.facts);
}

std::expected<plan::Plan, Problems> plan_run(const Grounds& grounds,
                                             const plan::Invocation& invocation) {
  auto plan = plan::build(grounds.profile, invocation, grounds.facts);
  if (!plan) return only(std::move(plan).error());
  log::write(log::Level::info, "run " + invocation.run_id + ": profile " + grounds.profile.name +
                                   ", " + std::to_string(plan->steps.size()) + " steps, command " +
                                   command_for_log(*plan));
  if (const auto lost = log::failure())
    plan->warnings.push_back(
        Error{.kind = ErrorKind::host, .what = "the log is not written", .sys_errno = lost->value}
            .to_string());
  tell_of_image(grounds.image, *plan);
  return *std::move(plan);
}

std::expected<Planned, Problems> prepare(const Arguments& arguments, const std::string& run_id,
                                         supervise::RunClock* clock,
                                         const std::function<void(const Profile&)>& tell) {
  supervise::enter(clock, Stage::profile);
  if (auto opened = open_log(arguments); !opened) return only(std::move(opened).error());
  auto cwd = current_directory();
  if (!cwd) return only(std::move(cwd).error());
  profile::LoadRequest request{
      .name = arguments.operands.empty() ? "default" : arguments.operands[0],
      .overrides = arguments.overrides,
      .env = os::caller_environment(),
      .cwd = *cwd};
  auto loaded = load_profile(request);
  if (!loaded) return std::unexpected(hint_at_command(arguments, std::move(loaded).error()));
  Profile profile = *std::move(loaded);
  if (tell) tell(profile);
  if (auto pinned = check_pin(arguments, profile); !pinned) return only(std::move(pinned).error());
  supervise::enter(clock, Stage::host_facts);
  const bool only_asks = arguments.verb->verb == Verb::explain || arguments.dry_run;
  Grounds grounds = SBX_TRY(survey(std::move(profile), {std::move(request.env), *std::move(cwd)},
                                   arguments.verb->verb, only_asks));
  supervise::enter(clock, Stage::planning);
  plan::Plan plan = SBX_TRY(plan_run(grounds, invocation_of(arguments, grounds.profile, run_id)));
  return Planned{std::move(grounds.profile), std::move(plan), std::move(grounds.facts.env),
                 std::move(grounds.image)};
}

Result<std::string> make_run_id() {
  std::uint32_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != static_cast<ssize_t>(sizeof random))
    return std::unexpected(Error{.kind = ErrorKind::host,
                                 .what = "no random number for the run's name",
                                 .sys_errno = errno});
  const UtcTime now = utc_time(std::chrono::system_clock::now());
  std::array<char, 96> id{};
  (void)std::snprintf(id.data(), id.size(), "%04d%02u%02u-%02d%02d%02d-%08x", now.year, now.month,
                      now.day, now.hour, now.minute, now.second, random);
  return std::string(id.data());
}

}  // namespace sbx::cli
