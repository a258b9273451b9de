#include "plan/path_finder.hpp"

#include <algorithm>
#include <map>
#include <variant>
#include <vector>

#include "base/path_pattern.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "plan/builder.hpp"

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
    trees_[target] = source;
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
  /// What was shown at `staging`, and is what `target` begins with.
  void take_model(const std::string& staging, const std::string& target) {
    if (const auto tree = trees_.find(staging); tree != trees_.end())
      found_.model = tree->second + path_.substr(target.size());
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
      const bool open = found_.verdict == Verdict::allowed;
      if (rule.writable)
        take(Verdict::allowed, "it can be written: the host's " + printable(path_), path_);
      else if (rule.device && !open)
        take(Verdict::allowed, "it can be used: the host's");
      else if (!open && (found_.verdict == Verdict::denied || !rule.key.empty()))
        take(Verdict::partly, "it can be read, not written: the host's " + printable(path_), path_);
      else
        continue;
      found_.rule = &rule;
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
  /// What is in it was put there before, by us; nothing else is.
  void see(const SealMount& a) {
    if (a.path == "/" || found_.verdict != Verdict::allowed || !is_below(path_, a.path)) return;
    const auto held = [&](const std::string& place) {
      return place != a.path && is_below(place, a.path) && is_below(path_, place);
    };
    if (!a.recursive) {  // what is held in it is written to
      if (std::ranges::none_of(held_, held)) take(Verdict::partly, "it can be read, not written");
    } else if (path_ == a.path)
      take(Verdict::partly, "it can be read, not written: it has only what was put there");
    else
      found_ = {};
  }
  void see(const MountOverlay& a) {
    leave(a.staging);
    if (!is_below(path_, a.target)) return;
    take(Verdict::allowed, std::string("it can be written: changes ") +
                               (a.hand_over ? "are kept apart" : "stay in the sandbox") +
                               ", up to " + format_bytes(a.size));
    take_model(a.staging + "/lower", a.target);
  }
  void see(const CopyIn& a) {
    leave(a.staging);
    if (!is_below(path_, a.target)) return;
    take(Verdict::allowed, "it can be written: a copy of the host's");
    take_model(a.staging, a.target);
  }
  void see(const BindDevice& a) {
    if (path_ == a.target) take(Verdict::allowed, "it can be used: the host's device");
  }
  void see(const MountDevpts& a) {
    if (is_below(path_, a.target))
      take(Verdict::allowed, "it can be used: terminals of the sandbox's own");
  }
  void see(const MountQueues& a) {
    if (is_below(path_, a.target))
      take(Verdict::allowed, "it can be used by mq_open(3): message queues of the sandbox's own");
  }
  void see(const MountProc& a) {
    if (is_below(path_, a.target))
      take(Verdict::partly, "it shows the sandbox's own processes, as far as the kernel lets them");
  }
  void see(const ProtectPath& a) {
    if (a.held)
      held_.push_back(a.path);
    else if (is_below(path_, a.path))
      take(Verdict::partly, "it can be read, not written");
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
  std::map<std::string, std::string> trees_{};  ///< of the host's, by where they were shown
  std::vector<std::string> held_{};
  std::vector<std::string> detached_{};
  std::size_t attached_ = 0;
};

}  // namespace

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

Found what_is_at(const Plan& plan, const std::string& path) {
  Finder finder(path);
  for (const Step& step : plan.steps) finder.look(step);
  return finder.found();
}

}  // namespace sbx::plan
