#include "changes/renames.hpp"

#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace sbx::changes {
namespace {

/// Content that is known, and some of it: empty files are all the same.
bool has_digest(const Entry& entry) {
  return entry.kind == EntryKind::file && entry.size > 0 && !entry.digest.empty();
}

bool is_source(const Change& change) {
  return has_digest(change.before) && change.after.kind == EntryKind::absent;
}

bool is_destination(const Change& change) {
  return change.before.kind == EntryKind::absent && has_digest(change.after);
}

std::string_view basename(std::string_view path) { return path.substr(path.rfind('/') + 1); }

class Renames {
 public:
  explicit Renames(const ChangeSet& set) {
    pair_up(set, [](const Change& change, const Entry& entry) {
      return std::pair<std::string_view, std::string_view>(entry.digest, basename(change.path));
    });
    pair_up(set, [](const Change&, const Entry& entry) {
      return std::pair<std::string_view, std::string_view>(entry.digest, "");
    });
  }

  [[nodiscard]] bool is_moved_away(const Change& change) const {
    return sources_.contains(&change);
  }
  [[nodiscard]] const Change* source_of(const Change& change) const {
    const auto found = source_.find(&change);
    return found == source_.end() ? nullptr : found->second;
  }

 private:
  /// Makes pairs of what has no partner yet and has the same key, in order on both sides. All keys
  /// are in one map, so that many equal files take no longer than many others.
  template <class Key>
  void pair_up(const ChangeSet& set, Key key) {
    std::map<std::pair<std::string_view, std::string_view>, std::vector<const Change*>> left;
    for (auto change = set.changes.rbegin(); change != set.changes.rend(); ++change) {
      if (is_source(*change) && !is_moved_away(*change))
        left[key(*change, change->before)].push_back(&*change);
    }
    for (const Change& change : set.changes) {
      if (!is_destination(change) || source_.contains(&change)) continue;
      const auto found = left.find(key(change, change.after));
      if (found == left.end() || found->second.empty()) continue;
      const Change* source = found->second.back();  // the first: they were put in from the end
      found->second.pop_back();
      source_.emplace(&change, source);
      sources_.insert(source);
    }
  }

  std::map<const Change*, const Change*> source_;  ///< by destination
  std::set<const Change*> sources_;
};

}  // namespace

std::vector<Shown> shown_changes(const ChangeSet& set) {
  const Renames renames(set);
  std::vector<Shown> shown;
  for (const Change& change : set.changes) {
    if (change.passage || renames.is_moved_away(change)) continue;
    shown.push_back({&change, renames.source_of(change)});
  }
  return shown;
}

}  // namespace sbx::changes
