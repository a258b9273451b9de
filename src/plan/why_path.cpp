// --why path:/x
#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/text.hpp"
#include "plan/builder.hpp"
#include "plan/path_finder.hpp"
#include "plan/why_parts.hpp"
#include "plan/why_path_parts.hpp"
#include "profile/own_devices.hpp"

namespace sbx::plan {
namespace {

/// The key under which `step` stands in the profile: the most exact one with its place.
std::string key_of(const Asked& asked, const Step& step) {
  std::string key;
  if (step.origin.file.empty()) return key;
  for (const auto& [name, origin] : asked.profile.origins)
    if (origin == step.origin && name.size() >= key.size()) key = name;
  return key;
}

/// By its own line, or by default.
bool is_workspace(const Asked& asked, const std::string& key, const std::string& path) {
  const profile::Workspace& workspace = asked.profile.workspace;
  return (key.starts_with("workspace") && key != "workspace.git") ||
         (key.empty() && workspace.mode != profile::WorkspaceMode::none &&
          is_below(path, workspace.at));
}

/// A path of the host's that ends the run when it comes into being (workspace.git: protect).
bool is_watched(const Plan& plan, const std::string& source) {
  return std::ranges::any_of(plan.supervision.watched, [&](const WatchedPlace& place) {
    return place.absent && is_below(source, place.folder + "/" + place.name);
  });
}

/// `line` shows what is at `source`; where root may do that only as it is on disk, one line is not
/// enough.
void offer(const Asked& asked, const std::string& source, std::string line, Answer& answer) {
  const std::vector<std::string>& degrade = asked.profile.degrade;
  if (asked.host.refuses_idmap && std::ranges::find(degrade, "idmap") == degrade.end() &&
      asked.host.refuses_idmap(source))
    answer.hint =
        "its file system cannot be id-mapped, which root's sandbox needs; two lines do:  " + line +
        "  and  degrade: [idmap]";
  else
    answer.allow_with = std::move(line);
}

/// The secret that would have its file at `path`, had it not been given a variable alone.
const profile::Secret* variable_only(const profile::Profile& profile, std::string_view path) {
  const auto found = std::ranges::find_if(profile.secrets, [path](const profile::Secret& secret) {
    return secret.place().empty() && path == profile::Secret{.name = secret.name}.place();
  });
  return found == profile.secrets.end() ? nullptr : &*found;
}

Answer absent(const Asked& asked, const std::string& path) {
  const profile::Workspace& workspace = asked.profile.workspace;
  Answer answer = asked.decided_by("mounts");
  answer.absent = true;
  answer.what = "nothing is there";
  answer.because = "a path exists inside only when something in the plan puts it there";
  const std::string place = yaml_word(path);
  if (const profile::Secret* secret = variable_only(asked.profile, path); secret != nullptr) {
    answer.because = "the secret " + secret->name + " is handed over as a variable only";
    answer.allow_with = "secrets: {" + yaml_word(secret->name) + ": {at: " + place + "}}";
  } else if (workspace.mode == profile::WorkspaceMode::none && is_below(path, workspace.at)) {
    decide_by_mode(asked, answer);
    answer.allow_with = "workspace: {mode: ro}";
  } else if (is_below(path, profile::kQueues)) {
    answer.allow_with = "devices: [mqueue]";
  } else if (asked.lacks(path, true)) {
    answer.hint = "this host has none to show; a folder of its own is  mounts: [{tmpfs: " + place +
                  "}], a file  mounts: [{file: " + place + ", content: TEXT}]";
  } else if (is_below(path, "/dev")) {  // what is mounted has no devices (nodev)
    const bool device = asked.host.is_device && asked.host.is_device(path);
    if (device) answer.allow_with = "devices: [" + yaml_word(path.substr(sizeof "/dev/" - 1)) + "]";
  } else if (const std::string real = asked.host.real_path ? asked.host.real_path(path) : "";
             is_below(real, "/proc") && !is_below(path, "/proc")) {
    answer.hint = "the host's leads to " + printable(real) +
                  ", which no sandbox is shown; a file of its own is  mounts: [{file: " + place +
                  ", content: TEXT}]";
  } else if (asked.host.real_path && real.empty()) {  // it is not lacking
    answer.hint = kOutOfReach;
  } else {
    offer(asked, path, "mounts: [{bind: " + place + ", at: " + place + "}]", answer);
  }
  return answer;
}

/// The line, or else what to do, for a place of the host's that is shown read-only.
void offer_mount(const Asked& asked, const Found& found, const std::string& path, Answer& answer) {
  if (is_own_target(asked.profile, answer.key, path))
    answer.hint = "write mode: rw in that entry";  // another for the same place would be refused
  else
    answer.allow_with =
        "mounts: [{bind: " + yaml_word(found.source) + ", at: " + yaml_word(path) + ", mode: rw}]";
}

/// The image is unpacked once, for all runs with it: no line may write to it.
void tell_of_image(const std::string& path, bool missing, Answer& answer) {
  if (missing) {
    answer.verdict = Verdict::denied;
    answer.what = "it is not in the image, nor can it be made";
    answer.hint = "put it in the image";
    return;
  }
  const std::string place = yaml_word(path);
  answer.what = "it can be read, not written: the image's";
  answer.hint =
      "all runs share the image; over it, a folder of the run's own is  mounts: [{tmpfs: " + place +
      "}], a file  mounts: [{file: " + place + ", content: TEXT}]";
}

}  // namespace

void decide_by_mode(const Asked& asked, Answer& answer) {
  answer.key = "workspace.mode";
  const auto written = asked.profile.origins.find(answer.key);
  answer.origin = written == asked.profile.origins.end() ? Origin{} : written->second;
}

bool is_own_target(const profile::Profile& profile, const std::string& key,
                   const std::string& path) {
  const auto& mounts = profile.mounts;
  for (std::size_t i = 0; i < mounts.size(); ++i)
    if (key.starts_with("mounts[" + std::to_string(i) + "]"))
      return std::visit([&path](const auto& mount) { return mount.target == path; },
                        mounts[i].what);
  return false;
}

void say_missing(const std::string& source, Answer& answer) {
  if (answer.verdict == Verdict::allowed) {
    answer.what = "it does not exist, and can be made: the host's " + printable(source);
    return;
  }
  answer.verdict = Verdict::denied;
  answer.what = "it does not exist, nor can it be made: the host's " + printable(source);
  if (answer.allow_with.empty() && answer.hint.empty()) answer.hint = "make it on the host";
}

Result<Answer> why_path(const Asked& asked, std::string_view text) {
  if (!text.starts_with('/'))
    return bad_question(quote(text) + " is no path of the sandbox",
                        "it starts with /: path:/workspace/data.csv");
  const auto place = resolved(asked.plan, text);
  if (!place) return bad_question(quote(text) + " leads in a circle of links", "");
  const std::string path =
      asked.plan.isolation.tier == "landlock" ? on_host(asked, *place) : *place;
  const Found found = what_is_at(asked.plan, path);
  if (found.step == nullptr) return absent(asked, path);
  if (is_watched(asked.plan, found.source)) {
    Answer answer = asked.decided_by("workspace.git");
    answer.verdict = Verdict::denied;
    answer.what = "it does not exist, and the run ends when it comes into being";
    answer.because = "git on the host obeys it";
    answer.allow_with = "workspace: {git: none}";
    return answer;
  }
  if (const auto* wall = std::get_if<ApplyLandlock>(&found.step->action); wall != nullptr) {
    Answer answer = shared_path(asked, found, *wall, path);
    if (path != text) answer.what = "it leads to " + printable(path) + "; " + answer.what;
    return answer;
  }
  Answer answer;
  answer.key = key_of(asked, *found.step);
  answer.origin = found.step->origin;
  const bool workspace = !found.source.empty() && is_workspace(asked, answer.key, path);
  const bool image = !found.source.empty() && answer.key.starts_with("root") &&
                     asked.profile.root.kind == profile::RootKind::oci;
  answer.verdict = found.verdict;
  answer.what = found.what;
  answer.because = found.step->reason;
  const bool missing = !found.source.empty() && asked.lacks(found.source, false);
  if (found.verdict == Verdict::denied && !answer.key.empty()) answer.hint = "take the entry out";
  if (!found.source.empty() && found.verdict == Verdict::partly) {
    if (workspace)
      answer.allow_with = "workspace: {mode: rw}";
    else if (!missing && !image)
      offer_mount(asked, found, path, answer);
  }
  if (answer.key == "workspace.git") answer.allow_with = "workspace: {git: none}";
  if (workspace) decide_by_mode(asked, answer);
  if (image)
    tell_of_image(path, missing, answer);
  else if (missing)
    say_missing(found.source, answer);
  if (path != text) answer.what = "it leads to " + printable(path) + "; " + answer.what;
  return answer;
}

}  // namespace sbx::plan
