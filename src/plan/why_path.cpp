// --why path:/x: what the steps that make the root put there.
#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/path_pattern.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "plan/builder.hpp"
#include "plan/why_parts.hpp"

namespace sbx::plan {
namespace {

constexpr int kMaxLinks = 40;  // path_resolution(7)

/// What the plan's own link at `path` leads to; null: none is there.
const std::string* link_at(const Plan& plan, const std::string& path) {
  for (const Step& step : plan.steps)
    if (const auto* made = std::get_if<MakeSymlink>(&step.action);
        made != nullptr && made->path == path)
      return &made->link;
  return nullptr;
}

/// The place that `path` means, as path_resolution(7) finds it, with the links that the plan makes;
/// others are the host's affair. Nothing: they lead in a circle.
std::optional<std::string> resolved(const Plan& plan, std::string_view path) {
  std::vector<std::string> left;  // names to come, the next one last
  const auto come = [&left](std::string_view names) {
    const auto parts = split(names, '/');
    left.insert(left.end(), parts.rbegin(), parts.rend());
  };
  come(path);
  std::string at;  // without a '/' at its end
  for (int links = 0; !left.empty();) {
    const std::string name = std::move(left.back());
    left.pop_back();
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      at.resize(at.empty() ? 0 : at.rfind('/'));
      continue;
    }
    std::string next = at;
    next += '/';
    next += name;
    const std::string* const link = link_at(plan, next);
    if (link == nullptr) {
      at = next;
      continue;
    }
    if (++links > kMaxLinks) return std::nullopt;
    if (link->starts_with('/')) at.clear();
    come(*link);
  }
  return at.empty() ? "/" : at;
}

/// What is at a path.
struct Found {
  const Step* step = nullptr;
  Verdict verdict = Verdict::denied;
  std::string what{};
  std::string source{};  ///< of the host's, when it is that
};

/// Looks at the steps in their order: the last one that covers the path decides.
class Finder {
 public:
  explicit Finder(std::string path) : path_(std::move(path)) {}

  void look(const Step& step) {
    step_ = &step;
    std::visit([this](const auto& action) { see(action); }, step.action);
  }
  [[nodiscard]] const Found& found() const { return found_; }

 private:
  void take(Verdict verdict, std::string what, std::string source = {}) {
    found_ = {step_, verdict, std::move(what), std::move(source)};
  }
  void take_tree(const std::string& source, const std::string& target, bool read_only) {
    if (!is_below(path_, target)) return;
    const std::string rest = path_.substr(target == "/" ? 0 : target.size());
    const std::string real = source == "/" && !rest.empty() ? rest : source + rest;
    take(read_only ? Verdict::partly : Verdict::allowed,
         (read_only ? "it can be read, not written: the host's "
                    : "it can be written: the host's ") +
             printable(real),
         real);
  }
  void take_exactly(const std::string& path, const char* what) {
    if (path_ == path) take(Verdict::partly, std::string("it can be read, not written: ") + what);
  }
  /// What was mounted at `staging` for a while is gone again.
  void leave(const std::string& staging) {
    if (is_below(path_, staging)) found_ = path_ == staging ? folder_ : Found{};
  }
  void hide(bool covers, const char* what) {
    if (covers) take(Verdict::denied, what);
  }

  /// Tier `landlock`: the host's own tree, of which the innermost rule tells.
  void see(const ApplyLandlock& a) {
    if (!a.only_wall) return;
    take(Verdict::denied, "it cannot be opened; that it exists can be seen", path_);
    for (const LandlockRule& rule : a.rules) {
      if (!is_below(path_, rule.path)) continue;
      if (rule.device && found_.verdict != Verdict::allowed)
        take(Verdict::allowed, "it can be used: the host's");
      if (rule.writable)
        take(Verdict::allowed, "it can be written: the host's " + printable(path_), path_);
      if (!rule.device && !rule.writable && found_.verdict == Verdict::denied)
        take(Verdict::partly, "it can be read, not written: the host's " + printable(path_), path_);
    }
  }
  void see(const MountRoot&) { take_exactly("/", "the root, a folder of the sandbox's own"); }
  void see(const MakeDir& a) {
    take_exactly(a.path, "a folder that only leads to others");
    if (path_ == a.path) folder_ = found_;
  }
  void see(const WriteFile& a) { take_exactly(a.path, "a file written for this run"); }
  void see(const WriteSecret& a) { take_exactly(a.path, "a secret"); }
  void see(const CopyFile& a) { take_exactly(a.path, "a copy of the host's file"); }
  void see(const BindInside& a) { take_exactly(a.target, "a file written for this run"); }
  void see(const BindTree& a) { take_tree(a.source, a.target, a.flags.read_only); }
  void see(const DetachTree& a) { detached_.push_back(a.source); }
  void see(const AttachTree& a) {
    // The trees come in the order in which they were sent.
    const std::string source = attached_ < detached_.size() ? detached_[attached_] : "";
    ++attached_;
    take_tree(source, a.target, a.flags.read_only);
  }
  void see(const MountTmpfs& a) {
    if (is_below(path_, a.target))
      take(Verdict::allowed,
           "it can be written: " + format_bytes(a.size) + " of memory, empty at the start");
  }
  /// What is in it was put there before, by us.
  void see(const SealMount& a) {
    if (a.path != "/" && found_.verdict == Verdict::allowed && is_below(path_, a.path))
      take(Verdict::partly, "it can be read, not written: it has only what was put there");
  }
  void see(const MountOverlay& a) {
    leave(a.staging);
    if (is_below(path_, a.target))
      take(Verdict::allowed, std::string("it can be written: changes ") +
                                 (a.hand_over ? "are kept apart" : "stay in the sandbox") +
                                 ", up to " + format_bytes(a.size));
  }
  void see(const CopyIn& a) {
    leave(a.staging);
    if (is_below(path_, a.target))
      take(Verdict::allowed, "it can be written: a copy of the host's");
  }
  void see(const BindDevice& a) {
    if (path_ == a.target) take(Verdict::allowed, "it can be used: the host's device");
  }
  void see(const MountDevpts& a) {
    if (is_below(path_, a.target))
      take(Verdict::allowed, "it can be used: terminals of the sandbox's own");
  }
  void see(const MountProc& a) {
    if (is_below(path_, a.target))
      take(Verdict::partly, "it shows the sandbox's own processes, as far as the kernel lets them");
  }
  void see(const ProtectPath& a) {
    if (!a.held && is_below(path_, a.path)) take(Verdict::partly, "it can be read, not written");
  }
  void see(const MaskPath& a) {
    hide(is_below(path_, a.path), "it is hidden: empty, if it exists");
  }
  void see(const MaskGlob& a) {
    hide(covers(PathPattern(a.pattern), path_), "it is hidden if it exists when the run starts");
  }
  template <class Other>
  void see(const Other&) {}  // puts nothing anywhere

  std::string path_;
  const Step* step_ = nullptr;
  Found found_{};
  Found folder_{};  ///< the folder itself, without what is mounted there
  std::vector<std::string> detached_{};
  std::size_t attached_ = 0;
};

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

/// The mode of the workspace decides what can be done there.
void decide_by_mode(const Asked& asked, Answer& answer) {
  answer.key = "workspace.mode";
  const auto written = asked.profile.origins.find(answer.key);
  answer.origin = written == asked.profile.origins.end() ? Origin{} : written->second;
}

/// A path of the host's that ends the run when it comes into being (workspace.git: protect).
bool is_watched(const Plan& plan, const std::string& source) {
  return std::ranges::any_of(plan.supervision.watched, [&](const WatchedPlace& place) {
    return place.absent && is_below(source, place.folder + "/" + place.name);
  });
}

Answer absent(const Asked& asked, const std::string& path) {
  const profile::Workspace& workspace = asked.profile.workspace;
  Answer answer = asked.decided_by("mounts");
  answer.absent = true;
  answer.what = "nothing is there";
  answer.because = "a path exists inside only when something in the plan puts it there";
  const std::string place = yaml_word(path);
  if (workspace.mode == profile::WorkspaceMode::none && is_below(path, workspace.at)) {
    decide_by_mode(asked, answer);
    answer.allow_with = "workspace: {mode: ro}";
  } else if (asked.lacks(path, true))
    answer.hint = "this host has none to show; a folder of its own is  mounts: [{tmpfs: " + place +
                  "}], a file  mounts: [{file: " + place + ", content: TEXT}]";
  else
    answer.allow_with = "mounts: [{bind: " + place + ", at: " + place + "}]";
  return answer;
}

/// Of a folder that is shown, and that lacks it.
void say_missing(const std::string& source, Answer& answer) {
  if (answer.verdict == Verdict::allowed) {
    answer.what = "it does not exist, and can be made: the host's " + printable(source);
    return;
  }
  answer.verdict = Verdict::denied;
  answer.what = "it does not exist, nor can it be made: the host's " + printable(source);
  if (answer.allow_with.empty()) answer.hint = "make it on the host";
}

}  // namespace

Result<Answer> why_path(const Asked& asked, std::string_view text) {
  if (!text.starts_with('/'))
    return bad_question(quote(text) + " is no path of the sandbox",
                        "it starts with /: path:/workspace/data.csv");
  const auto place = resolved(asked.plan, text);
  if (!place) return bad_question(quote(text) + " leads in a circle of links", "");
  const std::string& path = *place;
  Finder finder(path);
  for (const Step& step : asked.plan.steps) finder.look(step);
  const Found& found = finder.found();
  if (found.step == nullptr) return absent(asked, path);
  if (is_watched(asked.plan, found.source)) {
    Answer answer = asked.decided_by("workspace.git");
    answer.verdict = Verdict::denied;
    answer.what = "it does not exist, and the run ends when it comes into being";
    answer.because = "git on the host obeys it";
    answer.allow_with = "workspace: {git: none}";
    return answer;
  }
  Answer answer;
  answer.key = key_of(asked, *found.step);
  answer.origin = found.step->origin;
  const bool workspace = !found.source.empty() && is_workspace(asked, answer.key, path);
  answer.verdict = found.verdict;
  answer.what = found.what;
  answer.because = found.step->reason;
  const bool missing = !found.source.empty() && asked.lacks(found.source, false);
  if (found.verdict == Verdict::denied && !answer.key.empty()) answer.hint = "take the entry out";
  if (found.verdict == Verdict::partly && !found.source.empty()) {
    if (workspace)
      answer.allow_with = "workspace: {mode: rw}";
    else if (!missing)
      answer.allow_with = "mounts: [{bind: " + yaml_word(found.source) +
                          ", at: " + yaml_word(path) + ", mode: rw}]";
  }
  if (answer.key == "workspace.git") answer.allow_with = "workspace: {git: none}";
  if (workspace) decide_by_mode(asked, answer);
  if (missing) say_missing(found.source, answer);
  if (path != text) answer.what = "it leads to " + printable(path) + "; " + answer.what;
  return answer;
}

}  // namespace sbx::plan
