#include "artifacts/gc.hpp"

#include <cerrno>
#include <map>
#include <optional>
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

Result<std::set<std::string>> contents_of(const Index& index) {
  std::set<std::string> digests;
  for (const Kept& kept : SBX_TRY(index.list({}))) digests.insert(kept.artifact.sha256);
  return digests;
}

bool is_whole(int content, const std::string& digest) {
  const auto found = digest_of(content);
  return found && *found == digest;
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

Result<std::vector<Damage>> find_damage(const Store& store) {
  const auto objects = Objects::open(store.place()->folder.get());
  if (!objects)
    return std::unexpected(store_error("cannot open the contents", objects.error().value));
  std::optional<Opened> opened = SBX_TRY(store.opened(Use::look));
  const auto digests = SBX_TRY(contents_of(opened->index()));
  opened.reset();
  std::vector<Damage> damaged;
  for (const std::string& digest : digests) {
    if (const auto file = objects->read(digest); file && is_whole(file->get(), digest)) continue;
    // Its runs may have been removed since, or others have put it right: what runs have while the
    // store is locked has to be there.
    opened.emplace(SBX_TRY(store.opened(Use::look)));
    auto kept = SBX_TRY(opened->index().with_content(digest));
    const auto file = opened->objects().read(digest);
    opened.reset();
    if (kept.empty() || (file && is_whole(file->get(), digest))) continue;
    damaged.push_back({digest, !file && file.error().value == ENOENT, std::move(kept)});
  }
  return damaged;
}

}  // namespace sbx::artifacts
