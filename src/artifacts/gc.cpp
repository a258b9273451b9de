#include "artifacts/gc.hpp"

#include <map>
#include <set>

#include "base/text.hpp"

namespace sbx::artifacts {
namespace {

struct Content {
  std::uint64_t bytes = 0;
  std::uint64_t runs = 0;
};

/// What each run has, and how many have it.
struct Census {
  std::map<std::string, std::set<std::string>> of_run{};
  std::map<std::string, Content> contents{};
  std::uint64_t bytes = 0;
};

Result<Census> count(const Index& index) {
  Census census;
  for (const Kept& kept : SBX_TRY(index.list({}))) {
    if (!census.of_run[kept.run->id].insert(kept.artifact.sha256).second) continue;
    Content& content = census.contents[kept.artifact.sha256];
    if (content.runs++ == 0) census.bytes += kept.artifact.bytes;
    content.bytes = kept.artifact.bytes;
  }
  return census;
}

void take_out(Census& census, const std::string& run) {
  for (const std::string& digest : census.of_run[run]) {
    const auto content = census.contents.find(digest);
    if (--content->second.runs != 0) continue;
    census.bytes -= content->second.bytes;
    census.contents.erase(content);
  }
}

bool is_over(const Run& run, const Rubbish& rubbish) {
  return (run.expires_at && *run.expires_at <= rubbish.now) ||
         (rubbish.older_than && run.ended_at <= rubbish.now - *rubbish.older_than);
}

}  // namespace

Result<Removed> collect_garbage(Opened& store, const Rubbish& rubbish) {
  Census census = SBX_TRY(count(store.index()));
  Removed removed;
  std::vector<Run> rest;
  for (Run& run : SBX_TRY(store.index().runs())) {
    if (!is_over(run, rubbish)) {
      rest.push_back(std::move(run));
      continue;
    }
    take_out(census, run.id);
    removed.runs.push_back(std::move(run));
  }
  for (Run& run : rest) {  // the oldest first
    if (!rubbish.max_bytes || census.bytes <= *rubbish.max_bytes) break;
    take_out(census, run.id);
    removed.runs.push_back(std::move(run));
  }
  removed.left_bytes = census.bytes;
  if (!rubbish.only_say) {
    SBX_CHECK(store.sweep());
    // Counted first, so that what goes with the runs is among it; a name that stays behind when we
    // are killed is found by the next.
    Transaction transaction = SBX_TRY(store.index().begin());
    for (const Run& run : removed.runs) SBX_TRY(store.index().remove(run.id));
    SBX_CHECK(transaction.commit());
  }
  std::vector<std::string> unused;
  const auto looked = store.objects().each([&](const std::string& digest, std::uint64_t bytes) {
    if (census.contents.contains(digest)) return;
    unused.push_back(digest);
    removed.bytes += bytes;
  });
  if (!looked)
    return std::unexpected(store_error("cannot look through the contents", looked.error().value));
  removed.contents = unused.size();
  if (!rubbish.only_say)
    for (const std::string& digest : unused) store.objects().remove(digest);
  return removed;
}

Result<std::vector<Damage>> find_damage(Opened& store) {
  std::map<std::string, Damage> damaged;
  std::set<std::string> whole;
  for (Kept& kept : SBX_TRY(store.index().list({}))) {
    const std::string digest = kept.artifact.sha256;
    if (whole.contains(digest)) continue;
    if (!damaged.contains(digest)) {
      const auto file = store.objects().read(digest);
      const auto found = file ? digest_of(file->get()) : SysResult<std::string>(std::string());
      if (found && *found == digest) {
        whole.insert(digest);
        continue;
      }
      damaged[digest] = {digest, !file, {}};
    }
    damaged[digest].kept.push_back(std::move(kept));
  }
  std::vector<Damage> list;
  list.reserve(damaged.size());
  for (auto& [digest, damage] : damaged) list.push_back(std::move(damage));
  return list;
}

}  // namespace sbx::artifacts
